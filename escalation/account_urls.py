"""The addresses at which people sign in and look after how they do; whatever else django-allauth could show is not there.

The names are django-allauth's, which leads from one to the other by them.
"""

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as app
from allauth.mfa.webauthn import views as passkey
from allauth.socialaccount import views as single_sign_on
from allauth.socialaccount.providers.openid_connect import views as provider
from allauth.usersessions import views as sessions
from django.urls import URLPattern, path, re_path

from escalation.views.accounts import (
    AppSetUp,
    CodeProof,
    FirstPassword,
    PasskeyAdded,
    PasskeyProof,
    PasswordProof,
    app_picture,
    at_the_provider,
)
from escalation.views.accounts import account as your_account
from escalation.views.reached import confirm_address, reached
from escalation.views.sign_in import sign_in, sign_in_by_link, sign_out

SIGNING_IN: list[URLPattern] = [
    path("sign-in", sign_in, name="sign_in"),
    path("sign-in", sign_in, name="account_login"),
    path("sign-in/<str:token>", sign_in_by_link, name="sign_in_by_link"),
    path("sign-out", sign_out, name="sign_out"),
    path("second-factor", second_factor.authenticate, name="mfa_authenticate"),
    path("passkey", passkey.login_webauthn, name="mfa_login_webauthn"),
    path("no-longer", account.account_inactive, name="account_inactive"),
]
YOURS: list[URLPattern] = [
    path("account", your_account, name="account"),
    path("account", your_account, name="mfa_index"),
    path("account", your_account, name="mfa_list_webauthn"),
    path("account/notices", reached, name="reached"),
    path("account/notices/confirm/<str:token>", confirm_address, name="confirm_address"),
    path("account/prove", PasswordProof.as_view(), name="account_reauthenticate"),
    path("account/prove/code", CodeProof.as_view(), name="mfa_reauthenticate"),
    path("account/prove/passkey", PasskeyProof.as_view(), name="mfa_reauthenticate_webauthn"),
    path("account/password", account.password_change, name="account_change_password"),
    path("account/first-password", FirstPassword.as_view(), name="account_set_password"),
    path("account/app", AppSetUp.as_view(), name="mfa_activate_totp"),
    path("account/app/picture", app_picture, name="app_picture"),
    path("account/app/remove", app.deactivate_totp, name="mfa_deactivate_totp"),
    path("account/passkeys/add", PasskeyAdded.as_view(), name="mfa_add_webauthn"),
    path("account/passkeys/<int:pk>/remove", passkey.remove_webauthn, name="mfa_remove_webauthn"),
    path("account/recovery-codes", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/recovery-codes/new", codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("account/sessions", sessions.list_usersessions, name="usersessions_list"),
]
# There where mail is sent.
BY_MAIL: list[URLPattern] = [
    path("forgotten", account.password_reset, name="account_reset_password"),
    path("forgotten/sent", account.password_reset_done, name="account_reset_password_done"),
    path("forgotten/done", account.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    # django-allauth writes both parts into the address with a hyphen between them.
    re_path(
        r"^forgotten/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[0-9A-Za-z_:-]+)$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
]
# There where a provider of single sign-on is set.
AT_A_PROVIDER: list[URLPattern] = [
    path("sso/<slug:provider_id>", at_the_provider, name="openid_connect_login"),
    path("sso/<slug:provider_id>/back", provider.callback, name="openid_connect_callback"),
    path("sso-cancelled", single_sign_on.login_cancelled, name="socialaccount_login_cancelled"),
    path("sso-failed", single_sign_on.login_error, name="socialaccount_login_error"),
    path("account/sso", single_sign_on.connections, name="socialaccount_connections"),
]
