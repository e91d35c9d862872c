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
