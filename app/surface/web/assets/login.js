// What waited to be sent was written in a session before: the person is asked first.
try {
  for (const key of Object.keys(localStorage)) if (key.startsWith('sayso out ')) localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage[key]), asks: true }));
} catch {} // there is no such store
document.cookie = `sayso-zone=${Intl.DateTimeFormat().resolvedOptions().timeZone};path=/;max-age=31536000;samesite=lax`; // for the times on the first page

// The code stands behind the #, where no server sees it. It is sent once, by the form.
function enter() {
  const code = location.hash.slice(1);
  if (!code) return;
  history.replaceState(null, '', '/login');
  document.getElementById('token').value = code;
  document.getElementById('login').submit();
}
addEventListener('hashchange', enter); // the address was opened in a tab that shows this page
enter();
