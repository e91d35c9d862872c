// Only the offline page is kept here: questions are never stored on the device.
const name = 'sayso-3', kept = ['/assets/app.css', '/offline'];
self.addEventListener('install', e => { skipWaiting(); e.waitUntil(caches.open(name).then(c => c.addAll(kept))); });
self.addEventListener('activate', e => e.waitUntil(caches.keys().then(all => Promise.all(all.filter(k => k !== name).map(k => caches.delete(k)))).then(() => clients.claim())));
// A form that cannot be sent is left to the browser, which can go back to it.
self.addEventListener('fetch', e => {
  if (e.request.mode === 'navigate' && e.request.method === 'GET') e.respondWith(fetch(e.request).catch(() => caches.match('/offline')));
});

// A message shows a notification, in place of the one with its tag, or closes one.
// Looking at notifications in the push that shows one makes some systems forget it.
self.addEventListener('push', e => {
  let m = {};
  try { m = e.data.json(); } catch { /* of another form */ }
  if (m.gone) { e.waitUntil(close(m.tag)); return; }
  const n = m.notification ?? {}, to = { '': n.navigate ?? '/' };
  for (const a of n.actions ?? []) to[a.action] = a.navigate;
  navigator.setAppBadge?.(m.n ?? 0).catch(() => {});
  e.waitUntil(registration.showNotification(n.title ?? 'sayso', {
    body: n.body, tag: n.tag, renotify: Boolean(n.tag && n.renotify), silent: Boolean(n.silent), requireInteraction: Boolean(n.requireInteraction),
    icon: '/assets/icon-192.png', data: to, actions: (n.actions ?? []).slice(0, 2).map(a => ({ action: a.action, title: a.title })),
  }));
});
async function close(tag) {
  for (const n of await registration.getNotifications({ tag })) n.close();
}

// A click leads to the question. A button also selects an option there, and sends
// nothing. A page that is open decides itself whether it can go there.
self.addEventListener('notificationclick', e => {
  e.notification.close();
  const to = new URL(e.notification.data?.[e.action] ?? '/', location.origin);
  e.waitUntil(to.origin === location.origin ? lead(to) : clients.openWindow('/'));
});
async function lead(to) {
  const open = (await clients.matchAll({ type: 'window' })).sort((a, b) => b.focused - a.focused);
  const page = open.find(c => new URL(c.url).pathname === to.pathname) ?? open[0];
  try {
    if (page) {
      await page.focus();
      if (page.url !== to.href) page.postMessage({ go: to.href });
      return;
    }
  } catch { /* it cannot be brought to the front */ }
  await clients.openWindow(to.href);
}

// Closing a notification says nothing about the question: it stays open.
self.addEventListener('notificationclose', () => {});

// The browser has replaced or lost its subscription: the hub gets the new one.
self.addEventListener('pushsubscriptionchange', e => e.waitUntil((async () => {
  const key = e.oldSubscription?.options?.applicationServerKey;
  const s = e.newSubscription ?? (key && await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  if (s) await fetch('/notifications', { method: 'POST', body: new URLSearchParams({ do: 'subscribe', subscription: JSON.stringify(s) }), headers: { 'Sayso-Part': 'push' } });
})()));
