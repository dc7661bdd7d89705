"""Settings of Unresolved. Reading them starts nothing and writes nothing: commands without a database stay fast."""

from datetime import timedelta
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from escalation.env import (
    ROOT,
    app_role,
    app_url,
    broker_url,
    database,
    environment,
    kept_secret,
    owner_url,
    seconds_by_recipient,
    secret,
)

BASE_DIR = ROOT
DEBUG = False
# Made by `manage.py up` at its first start. Empty before that: whatever needs it then fails, the rest runs.
SECRET_KEY = secret("SECRET_KEY", default=kept_secret("secret-key"))

# The address people type, where it differs from the one that is listened on (a proxy, a name).
PUBLIC_URL = environment.str("UNRESOLVED_URL", default="")
_public = urlsplit(PUBLIC_URL)
_https = _public.scheme == "https"
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *([_public.hostname] if _public.hostname else [])]
CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc}"] if PUBLIC_URL else []
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _https else None
SECURE_HSTS_SECONDS = 31_536_000 if _https else 0
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
# Neither is for scripts (htmx reads the token from the page's forms), nor for pages of other sites.
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"

ROOT_URLCONF = "escalation.urls"
WSGI_APPLICATION = "escalation.wsgi.application"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "pgtrigger",
    "operations",
    "escalation",
    # Who a person is. Only the pages that escalation/signing_in/urls.py names are reachable.
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Whoever is not signed in gets no further, unless the view says that it is for anyone.
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    },
}
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# One database, two roles: the owner changes the schema, the app role serves. Which one a process is, it is for its
# whole life (`manage.py` picks the owner for the commands that change the schema).
APP_ROLE = app_role()
_pool_size = environment.int("DATABASE_POOL_SIZE", default=0)
DATABASES = {
    "default": database(owner_url() if environment.str("UNRESOLVED_ROLE", default="app") == "owner" else app_url())
}
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
if _pool_size:
    DATABASES["default"]["OPTIONS"] = {
        **DATABASES["default"].get("OPTIONS", {}),
        "pool": {"min_size": 1, "max_size": _pool_size, "timeout": 10},
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "escalation.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "queue"
LOGOUT_REDIRECT_URL = "sign_in"
SESSION_COOKIE_AGE = 12 * 3600
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# How long a proof of who somebody is counts before doors that send or risk (escalation/policy.py, NEEDS_PROOF).
_minutes = environment.int("UNRESOLVED_PROOF_MINUTES", default=15)
PROOF_LASTS = timedelta(minutes=_minutes)
if _minutes < 1:
    raise ImproperlyConfigured("UNRESOLVED_PROOF_MINUTES: a proof counts for a minute at least.")
# Attempts to sign in are counted in PostgreSQL: for all processes alike, and with the broker down.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "escalation_attempts",
        "OPTIONS": {"MAX_ENTRIES": 1_000_000},
    }
}
# Proxies in front of the web, whose word on where a caller comes from is taken.
ALLAUTH_TRUSTED_PROXY_COUNT = environment.int("UNRESOLVED_PROXIES", default=0)

# Mail: an address as `smtp+tls://name:password@host:587`. Empty: none is sent, and none is offered.
_mail = secret("UNRESOLVED_MAIL")
MAIL_IS_SENT = bool(_mail)
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
if MAIL_IS_SENT:
    vars().update(environment.email_url_config(_mail))
DEFAULT_FROM_EMAIL = environment.str("UNRESOLVED_MAIL_FROM", default="unresolved@localhost")

ACCOUNT_ADAPTER = "escalation.signing_in.adapters.Accounts"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]  # nobody signs up: the adapter refuses it
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_NOTIFICATIONS = MAIL_IS_SENT
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Unresolved] "
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if _https else "http"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = int(PROOF_LASTS.total_seconds())
MFA_ADAPTER = "escalation.signing_in.adapters.SecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_FORMS = {
    "add_webauthn": "escalation.signing_in.passkey_forms.AddPasskey",
    "authenticate_webauthn": "escalation.signing_in.passkey_forms.AskedPasskey",
    "login_webauthn": "escalation.signing_in.passkey_forms.LonePasskey",
    "reauthenticate_webauthn": "escalation.signing_in.passkey_forms.ProvingPasskey",
}
MFA_TOTP_ISSUER = "Unresolved"
MFA_TOTP_TOLERANCE = 1
MFA_RECOVERY_CODES_SHOW_ONCE = True
# Single sign-on through one OpenID Connect provider, off unless its address is given; the account is connected by its
# person, never made or found by a mail address.
_provider = environment.str("UNRESOLVED_OIDC_ISSUER", default="")
SINGLE_SIGN_ON = bool(_provider)
SOCIALACCOUNT_ADAPTER = "escalation.signing_in.adapters.SingleSignOn"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_AUTO_SIGNUP = False
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "single",
                "name": environment.str("UNRESOLVED_OIDC_NAME", default="Single sign-on"),
                "client_id": environment.str("UNRESOLVED_OIDC_CLIENT", default=""),
                "secret": secret("UNRESOLVED_OIDC_SECRET"),
                # Signing in again has to prove something, so the provider is asked to ask the person, and to say when it
                # did (signing_in/dated_by_provider.py).
                "settings": {"server_url": _provider, "auth_params": {"prompt": "login", "max_age": "0"}},
            }
        ]
        if SINGLE_SIGN_ON
        else [],
    }
}

REDIS_URL = broker_url()
# The agents' door: calls a minute and key (0: no limit), and the largest body, which is refused before it is read.
API_CALLS_A_MINUTE = environment.int("UNRESOLVED_API_CALLS_A_MINUTE", default=6_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024
# The interview over a contract with 200 sources and 32 channels, the most that a document may hold.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 3_000
# How long and how often the desk asks by itself, in seconds: how many asks before a person is needed; how long an effect
# may take where the contract does not say; how long before protection or deadline ends it asks once more, and calls a
# person; how slowly, and how long, it watches what happened and could happen again.
ASKING = {
    "asks_allowed": environment.int("UNRESOLVED_ASKS_ALLOWED", default=30),
    "expected_within": environment.float("UNRESOLVED_EXPECTED_WITHIN", default=120.0),
    "ask_ahead": environment.float("UNRESOLVED_ASK_AHEAD", default=300.0),
    "call_ahead": environment.float("UNRESOLVED_CALL_AHEAD", default=240.0),
    "watch_every": environment.float("UNRESOLVED_WATCH_EVERY", default=3_600.0),
    "watch_for": environment.float("UNRESOLVED_WATCH_FOR", default=7 * 86_400.0),
}
# How long before protection or deadline ends a person is called at these recipients, by their keys, where it differs.
CALL_AHEAD_FOR = seconds_by_recipient("UNRESOLVED_CALL_AHEAD_FOR")
# How long a result may be owed to an agent that waits before a person is called, in seconds; and at these recipients.
OWED_WITHIN = environment.float("UNRESOLVED_OWED_WITHIN", default=3_600.0)
OWED_WITHIN_FOR = seconds_by_recipient("UNRESOLVED_OWED_WITHIN_FOR")
# How notices are paced: more than this many alike are told in one; how long after one what else comes about the same
# recipient is gathered; how long before protection or deadline ends whoever is told has to be told, quiet hours or not.
NOTICES = {
    "above": environment.int("UNRESOLVED_NOTICES_GROUPED_ABOVE", default=3),
    "apart": timedelta(seconds=environment.float("UNRESOLVED_NOTICES_APART", default=60.0)),
    "ahead": timedelta(seconds=ASKING["call_ahead"]),
    "ahead_for": {key: timedelta(seconds=seconds) for key, seconds in CALL_AHEAD_FOR.items()},
}
# How long what programs were told stays in its log, counted from its end.
_days = environment.int("UNRESOLVED_OUTBOX_KEPT_DAYS", default=30)
OUTBOX_KEPT = timedelta(days=_days)
if _days < 1:
    raise ImproperlyConfigured("UNRESOLVED_OUTBOX_KEPT_DAYS: what programs were told is kept for a day at least.")
# What goes wrong is said on standard error, which `manage.py up` keeps in the data folder's log.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"hide links": {"()": "escalation.running.log_lines.HideLinks"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["hide links"]}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.request": {"level": "ERROR"},  # what a caller did wrong is the caller's to read
    },
}
# What is kept of the messages that recipients send by themselves, for each: its messages a minute, bytes a day, and
# messages at a time that no operation is known for; and the longest message, which is refused before it is read.
LISTENING = {
    "messages_a_minute": environment.int("UNRESOLVED_MESSAGES_A_MINUTE", default=600),
    "bytes_a_day": environment.int("UNRESOLVED_MESSAGE_BYTES_A_DAY", default=256 * 1024 * 1024),
    "orphans": environment.int("UNRESOLVED_ORPHANS", default=10_000),
}
LONGEST_MESSAGE = environment.int("UNRESOLVED_LONGEST_MESSAGE", default=1024 * 1024)
# Where the daily checkpoints of the record go: a folder off this host, as mounted here. Empty: none is exported.
CHECKPOINTS = environment.str("UNRESOLVED_CHECKPOINTS", default="")
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False
