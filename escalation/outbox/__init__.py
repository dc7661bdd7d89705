"""What programs are told, signed, in order and at least once; docs/integrate/outbound-webhooks.md is what they may rely on."""
