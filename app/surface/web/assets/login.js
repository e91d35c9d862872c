// The code stands behind the #, where no server sees it. It is sent once, by the form.
const code = location.hash.slice(1);
if (code) {
  history.replaceState(null, '', '/login');
  document.getElementById('token').value = code;
  document.getElementById('login').submit();
}
