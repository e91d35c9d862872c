// Only the offline page is kept: questions are never stored on the device.
const kept = ['/assets/app.css', '/offline'];
self.addEventListener('install', e => e.waitUntil(caches.open('sayso-1').then(c => c.addAll(kept))));
self.addEventListener('fetch', e => {
  if (e.request.mode === 'navigate') e.respondWith(fetch(e.request).catch(() => caches.match('/offline')));
});
self.addEventListener('notificationclick', e => {
  e.notification.close();
  e.waitUntil(clients.matchAll({ type: 'window' }).then(open => open[0] ? open[0].focus() : clients.openWindow('/')));
});
