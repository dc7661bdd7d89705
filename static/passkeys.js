// Passkeys are the one thing here that needs a script: the browser asks the key, and this hands on what it answers.
(() => {
  const form = document.querySelector("[data-passkey]");
  if (!form || !window.PublicKeyCredential || !window.isSecureContext) return;
  const ids = { credential: "passkey-credential", data: "passkey-options" };
  const forms = window.allauth.webauthn.forms;
  const kinds = {
    add: () => forms.addForm({ ids: { ...ids, add: "passkey-button", passwordless: "passkey-alone" } }),
    ask: () => forms.authenticateForm({ ids: { ...ids, authenticate: "passkey-button" } }),
    login: () => forms.loginForm({ ids: { ...ids, login: "passkey-button" } }),
  };
  document.addEventListener("allauth.error", (event) => {
    event.preventDefault();
    document.getElementById("passkey-failed").hidden = false;
  });
  kinds[form.dataset.passkey]();
  form.hidden = false;
})();
