// Only the offline page is kept here: questions are never stored on the device.
const name = 'sayso-2', kept = ['/assets/app.css', '/offline'];
self.addEventListener('install', e => e.waitUntil(caches.open(name).then(c => c.addAll(kept))));
self.addEventListener('activate', e => e.waitUntil(caches.keys().then(all => Promise.all(all.filter(k => k !== name).map(k => caches.delete(k))))));
// A form that cannot be sent is left to the browser, which can go back to it.
self.addEventListener('fetch', e => {
  if (e.request.mode === 'navigate' && e.request.method === 'GET') e.respondWith(fetch(e.request).catch(() => caches.match('/offline')));
});
self.addEventListener('notificationclick', e => {
  e.notification.close();
  e.waitUntil(clients.matchAll({ type: 'window' }).then(open => open[0] ? open[0].focus() : clients.openWindow('/')));
});
