"""Every address of the desk. Strangers are turned away, but for those that sign people in and those that probes ask."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, path

from escalation.account_urls import AT_A_PROVIDER, BY_MAIL, SIGNING_IN, YOURS
from escalation.views.api_reference import api_reference
from escalation.views.audit import audit, audit_csv, audit_json_lines
from escalation.views.business_exception import business_exception
from escalation.views.case import VERBS, case, mind
from escalation.views.close_original import close_original, closing_progress
from escalation.views.conflict import conflict, conflict_report
from escalation.views.contracts import contract, contract_differences, contracts, recipient_contracts
from escalation.views.contracts_begin import begin_draft, new_contract
from escalation.views.contracts_draft import contract_draft, contract_draft_text
from escalation.views.contracts_publish import publish_contract
from escalation.views.contracts_rules import contract_draft_rule, contract_draft_rules
from escalation.views.exceptions import approve_exception, exceptions
from escalation.views.handover import handover, owed
from escalation.views.health import healthz, readyz
from escalation.views.hooks import hook
from escalation.views.inspect import inspect
from escalation.views.inspection import inspection, inspection_attachment
from escalation.views.keys import keys
from escalation.views.leave_unresolved import leave_unresolved
from escalation.views.new_operation import new_operation
from escalation.views.next_input import next_input
from escalation.views.notices import notice_addresses, notices
from escalation.views.observe import observe
from escalation.views.operation import operation, operation_part, operation_revision
from escalation.views.orphans import orphan, orphans
from escalation.views.output_rules import output_rules
from escalation.views.overview import overview, overview_csv
from escalation.views.people import people
from escalation.views.person import person
from escalation.views.protected_repeat import protected_repeat, repeat_progress
from escalation.views.queue import queue, queue_grouped, queue_revision, queue_rows
from escalation.views.queue_files import queue_csv, queue_json_lines
from escalation.views.queue_many import queue_all, queue_many, queue_people
from escalation.views.queue_views import queue_views
from escalation.views.recipient import recipient
from escalation.views.record import record, record_json
from escalation.views.rehearsal import rehearsal
from escalation.views.repair_record import repair_record
from escalation.views.rota import rota
from escalation.views.rules import rules
from escalation.views.run import run, run_call
from escalation.views.runs import run_upload, runs
from escalation.views.second_signature import second_signature, second_signatures
from escalation.views.subscription import subscription
from escalation.views.subscriptions import subscriptions
from escalation.views.team import team
from escalation.views.teams import teams
from escalation.views.tools import tools
from operations.api.v1 import urls as api_v1

# Whoever holds no role is told so (escalation/views/no_role.py).
handler403 = "escalation.views.no_role.not_allowed"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", queue, name="queue"),
    path("queue/rows", queue_rows, name="queue_rows"),
    path("queue/revision", queue_revision, name="queue_revision"),
    path("queue/grouped", queue_grouped, name="queue_grouped"),
    path("queue/views", queue_views, name="queue_views"),
    path("queue/many", queue_many, name="queue_many"),
    path("queue/people", queue_people, name="queue_people"),
    path("queue/all", queue_all, name="queue_all"),
    path("queue.csv", queue_csv, name="queue_csv"),
    path("queue.jsonl", queue_json_lines, name="queue_json_lines"),
    path("operations/<int:number>", operation, name="operation"),
    path("operations/<int:number>/revision", operation_revision, name="operation_revision"),
    path("operations/<int:number>/parts/<str:part>", operation_part, name="operation_part"),
    path("operations/<int:number>/ask", observe, name="observe"),
    path("operations/<int:number>/case", case, name="case"),
    *[
        path(f"operations/<int:number>/case/{verb}", mind, {"verb": verb}, name=f"case_{verb.replace('-', '_')}")
        for verb in VERBS
    ],
    path("operations/<int:number>/inspect", inspect, name="inspect"),
    path("operations/<int:number>/inspections/<str:inspection>", inspection, name="inspection"),
    path(
        "operations/<int:number>/inspections/<str:inspection>/attachment",
        inspection_attachment,
        name="inspection_attachment",
    ),
    path("operations/<int:number>/repair", repair_record, name="repair_record"),
    path("operations/<int:number>/close", close_original, name="close_original"),
    path("operations/<int:number>/close/progress", closing_progress, name="closing_progress"),
    path("operations/<int:number>/repeat", protected_repeat, name="protected_repeat"),
    path("operations/<int:number>/repeat/progress", repeat_progress, name="repeat_progress"),
    path("operations/<int:number>/new", new_operation, name="new_operation"),
    path("operations/<int:number>/conflict", conflict, name="conflict"),
    path("operations/<int:number>/conflict.json", conflict_report, name="conflict_report"),
    path("operations/<int:number>/leave", leave_unresolved, name="leave_unresolved"),
    path("operations/<int:number>/exception", business_exception, name="business_exception"),
    path("overview", overview, name="overview"),
    path("overview/<slug:figure>.csv", overview_csv, name="overview_csv"),
    path("exceptions", exceptions, name="exceptions"),
    path("exceptions/<int:exception>", approve_exception, name="approve_exception"),
    path("signatures", second_signatures, name="second_signatures"),
    path("signatures/<int:signature>", second_signature, name="second_signature"),
    path("rules", rules, name="rules"),
    path("people", people, name="people"),
    path("people/<int:person>", person, name="person"),
    path("keys", keys, name="keys"),
    path("notices", notices, name="notices"),
    path("notices/addresses", notice_addresses, name="notice_addresses"),
    path("teams", teams, name="teams"),
    path("teams/<int:team>", team, name="team"),
    path("rotas/<int:rota>", rota, name="rota"),
    path("operations/<int:number>/handover", handover, name="handover"),
    path("operations/<int:number>/record", record, name="record"),
    path("operations/<int:number>/record.json", record_json, name="record_json"),
    path("audit", audit, name="audit"),
    path("audit.csv", audit_csv, name="audit_csv"),
    path("audit.jsonl", audit_json_lines, name="audit_json_lines"),
    path("contracts", contracts, name="contracts"),
    path("new-contract", new_contract, name="new_contract"),
    path("contracts/<slug:recipient>", recipient_contracts, name="recipient_contracts"),
    path("contracts/<slug:recipient>/<int:version>", contract, name="contract"),
    path("contracts/<slug:recipient>/differences", contract_differences, name="contract_differences"),
    path("contracts/<slug:recipient>/begin", begin_draft, name="begin_draft"),
    path("contracts/<slug:recipient>/draft", contract_draft, name="contract_draft"),
    path("contracts/<slug:recipient>/draft/text", contract_draft_text, name="contract_draft_text"),
    path("contracts/<slug:recipient>/draft/rules", contract_draft_rules, name="contract_draft_rules"),
    path("contracts/<slug:recipient>/draft/rules/<int:index>", contract_draft_rule, name="contract_draft_rule"),
    path("contracts/<slug:recipient>/draft/publish", publish_contract, name="publish_contract"),
    path("contracts/<slug:recipient>/<int:version>/rehearsal", rehearsal, name="rehearsal"),
    path("runs", runs, name="runs"),
    path("runs/uploads/<str:upload>", run_upload, name="run_upload"),
    path("runs/<int:run>", run, name="run"),
    path("runs/<int:run>/next-input", next_input, name="next_input"),
    path("runs/<int:run>/calls/<int:call>", run_call, name="run_call"),
    path("tools", tools, name="tools"),
    path("tools/rules", output_rules, name="output_rules"),
    path("owed", owed, name="owed"),
    path("orphans", orphans, name="orphans"),
    path("orphans/<str:message>", orphan, name="orphan"),
    path("hooks/<slug:recipient>", hook, name="hook"),
    path("hooks/<slug:recipient>/<slug:channel>", hook, name="hook_channel"),
    path("recipients/<slug:key>", recipient, name="recipient"),
    path("subscriptions", subscriptions, name="subscriptions"),
    path("subscriptions/<int:subscription>", subscription, name="subscription"),
    path("api/v1/docs", api_reference, name="api_reference"),
    path("api/v1/", api_v1),
    *SIGNING_IN,
    *YOURS,
    *(BY_MAIL if settings.MAIL_IS_SENT else []),
    *(AT_A_PROVIDER if settings.SINGLE_SIGN_ON else []),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]
