// Notifications on this device: the one part of the page that needs a script. It is
// loaded on the page of notifications, and by browsers that have a subscription.
{
  const box = $('#push'), patience = 20_000, key = document.body.dataset.notify;

  // inTime gives up: a browser that cannot reach its push service may never say so.
  const inTime = what => Promise.race([what, new Promise((_, no) => setTimeout(no, patience, new Error('time')))]);
  const bytes = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));
  const ours = s => s?.options?.applicationServerKey && String(new Uint8Array(s.options.applicationServerKey)) === String(bytes(key));
  const can = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

  // subscription returns the one of this browser, bound to the hub's key.
  async function subscription() {
    const { pushManager } = await inTime(navigator.serviceWorker.ready), old = await pushManager.getSubscription();
    if (ours(old)) return old;
    await old?.unsubscribe();
    return inTime(pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) }));
  }

  // keep gives it to the hub.
  async function keep(s) {
    const body = new URLSearchParams({ do: 'subscribe', subscription: JSON.stringify(s) });
    const r = await fetch('/notifications', { method: 'POST', body, headers: { 'Sayso-Part': 'push' }, signal: AbortSignal.timeout(patience) });
    out(r.status === 401);
    if (!r.ok) throw new Error(r.status === 401 ? W.signedOut : await r.text());
    localStorage.setItem('push', s.endpoint);
  }

  // A subscription may vanish at any time, and is made again at the next visit.
  async function again() {
    if (!can() || Notification.permission !== 'granted') return;
    const s = await subscription();
    if (s.endpoint !== localStorage.getItem('push')) await keep(s);
  }

  const hint = words => $('#push-hint').replaceChildren(words);
  async function turnOn(e) {
    e.target.disabled = true;
    hint(W.pushAsking);
    try {
      if (await Notification.requestPermission() !== 'granted') {
        hint(W.pushDenied);
        return;
      }
      hint(W.pushWaiting);
      await keep(await subscription());
      location.assign('/notifications?done=on');
    } catch (err) {
      hint(err.message === 'time' ? W.pushNoReply : `${W.pushFailed} ${err.message}`);
    } finally { e.target.disabled = false; }
  }

  if (box) {
    const on = $('#push-on');
    const apple = /iPhone|iPad/.test(navigator.userAgent) && !navigator.standalone;
    if (apple) hint(W.pushApple);
    else if (!can()) hint(W.pushCannot);
    else if (Notification.permission === 'denied') hint(W.pushBlocked);
    else {
      on.hidden = 'active' in box.dataset && Notification.permission === 'granted';
      on.addEventListener('click', turnOn);
    }
    $('#push-off')?.addEventListener('submit', () => {
      localStorage.removeItem('push');
      navigator.serviceWorker.ready.then(r => r.pushManager.getSubscription()).then(s => s?.unsubscribe());
    });
    for (const z of document.querySelectorAll('[data-zone]')) z.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
  if (!box || 'active' in box.dataset) again().catch(() => {});
}
