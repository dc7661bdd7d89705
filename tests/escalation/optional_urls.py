"""The addresses of a desk that sends mail and knows a provider of single sign-on."""

from escalation.account_urls import AT_A_PROVIDER, BY_MAIL
from escalation.urls import urlpatterns as always

urlpatterns = [*always, *BY_MAIL, *AT_A_PROVIDER]
