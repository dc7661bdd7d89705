"""Settings of Unresolved. Reading them starts nothing and writes nothing: commands without a database stay fast."""

from escalation.env import ROOT, kept_secret, secret

BASE_DIR = ROOT
# Made by `manage.py up` at its first start. Empty before that: whatever needs it then fails, the rest runs.
SECRET_KEY = secret("SECRET_KEY", default=kept_secret("secret-key"))
DEBUG = False
ALLOWED_HOSTS: list[str] = ["127.0.0.1", "localhost", "[::1]"]
ROOT_URLCONF = "escalation.urls"
WSGI_APPLICATION = "escalation.wsgi.application"
INSTALLED_APPS = ["operations", "escalation"]
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False
