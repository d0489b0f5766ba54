// The last accepted score, bundled by `npm run lab -- bench score --accept`. CONTRIBUTING.md says when to renew it.

// src/contract/grant.ts
function isBeforeErasure({ issuedAtMs = Infinity }, erasedAtMs) {
  return issuedAtMs <= erasedAtMs;
}

// generated/spec.ts
var validation = {
  "errors_max": 20,
  "request_errors_max": 200
};
var timestamps = {
  "max_age_seconds": 300,
  "max_ahead_seconds": 60
};
var alerts = {
  "max_per_account": 50,
  "repeat_seconds": 60,
  "fresh_hours": 24,
  "firing_days": 7,
  "default_minutes": 10,
  "default_hours": 24,
  "usual": {
    "percentile": 75,
    "block_hours": 4,
    "days": 28,
    "days_min": 7
  }
};
var consent = {
  "page_size": 50,
  "further_ahead_seconds": 1,
  "biometric_categories": [
    "cardiovascular",
    "vocal",
    "visual",
    "movement"
  ],
  "restricted_contexts": [
    "work",
    "education"
  ],
  "refusals": {
    "no_subject": "the reading has no subject. Send it with subject_id",
    "not_recorded": "no consent is recorded for the subject. Record it with PUT /v1/subjects/{subject_id}/consent",
    "expired": "the consent of the subject has expired. Ask the person, and record the consent again",
    "unverified": "the stored consent has no valid code. Record it again, or accept its row with audit --accept",
    "nothing_left": "the person allows no signal of the reading. Do not send it again"
  }
};
var idempotency = {
  "retention_hours": 24,
  "secret_minutes": 60,
  "keys_max": 1e3,
  "lease_seconds": 60
};
var topics = {
  "work": [
    "work_general",
    "work_performance",
    "workload",
    "job_loss",
    "job_search",
    "boss_and_coworkers",
    "work_schedule",
    "career_direction",
    "own_business"
  ],
  "school": [
    "school_general",
    "exams",
    "grades",
    "assignments",
    "studying",
    "school_admission",
    "graduation",
    "school_people"
  ],
  "finances": [
    "finances_general",
    "debt",
    "bills",
    "housing_costs",
    "income",
    "money_shortage",
    "savings",
    "expenses"
  ],
  "health": [
    "health_general",
    "sleep",
    "fatigue",
    "illness",
    "pandemic",
    "physical_pain",
    "medical_care",
    "body_weight",
    "substance_use",
    "pregnancy"
  ],
  "family": [
    "family_general",
    "family_conflict",
    "parenting",
    "family_illness",
    "marriage",
    "divorce",
    "family_distance",
    "family_gatherings"
  ],
  "relationships": [
    "relationships_general",
    "breakup",
    "dating",
    "romantic_relationship",
    "infidelity",
    "friendship",
    "roommates_and_neighbors",
    "social_situations"
  ],
  "emotional_wellbeing": [
    "emotional_wellbeing_general",
    "anxiety",
    "depression",
    "grief",
    "loneliness",
    "anger",
    "self_esteem",
    "overwhelm",
    "trauma",
    "world_events"
  ],
  "daily_decisions": [
    "daily_decisions_general",
    "indecision",
    "time_pressure",
    "household_chores",
    "meals",
    "moving_home",
    "transport",
    "travel_plans"
  ]
};
var problemTypePrefix = "urn:problem-type:realtime-state-service:";
var problems = {
  "invalid_payload": {
    "status": 400,
    "title": "Bad Request",
    "detail": "Invalid payload"
  },
  "missing_signals": {
    "status": 400,
    "title": "Bad Request",
    "detail": "Missing signals",
    "explanation": "send at least one of {signals}, or user_message with derive_sentiment: true. The operator turns this on for an account: state-service accounts set ACCOUNT derive-sentiment on"
  },
  "timestamp_too_old": {
    "status": 400,
    "title": "Bad Request",
    "detail": "Timestamp too old",
    "explanation": "it is {age} s old, at most {max} s are allowed. Server time is {now}. Send readings when they are taken, with a synchronized clock, or older readings with backfill"
  },
  "timestamp_in_future": {
    "status": 400,
    "title": "Bad Request",
    "detail": "Timestamp in the future",
    "explanation": "it is {ahead} s ahead, at most {max} s are allowed. Server time is {now}. Synchronize the clock"
  },
  "feedback_too_old": {
    "status": 400,
    "title": "Bad Request",
    "detail": "Feedback too old",
    "explanation": "it is {age} s old, at most {max} s are allowed. Server time is {now}. The operator sets the maximum with RETENTION_FEEDBACK_DAYS"
  },
  "missing_api_key": {
    "status": 401,
    "title": "Unauthorized",
    "detail": "Missing API key",
    "explanation": "send the key in the header X-Service-Key, not in Authorization"
  },
  "invalid_api_key": {
    "status": 401,
    "title": "Unauthorized",
    "detail": "Invalid API key"
  },
  "invalid_token": {
    "status": 401,
    "title": "Unauthorized",
    "detail": "Invalid token"
  },
  "missing_source_key": {
    "status": 401,
    "title": "Unauthorized",
    "detail": "Missing source key: send it in the header X-Service-Key, as Authorization: Bearer, in the query as key, or as the last part of the path",
    "explanation": "what the URL contains is no source key (wk_), and no id of a connection (srk_) as the response that created it states"
  },
  "invalid_source_key": {
    "status": 401,
    "title": "Unauthorized",
    "detail": "Invalid source key: it is unknown, removed or expired, of another source, or its person was erased. A service key or token is no source key: create one with POST /v1/source-keys"
  },
  "credential_in_url": {
    "status": 401,
    "title": "Unauthorized",
    "detail": "A service key or token must not stand in a URL, which logs contain: revoke it, and use a source key of POST /v1/source-keys"
  },
  "invalid_link": {
    "status": 401,
    "title": "Unauthorized",
    "detail": "Invalid link: it is unknown, expired, revoked, or was opened before. Ask for a new link"
  },
  "several_credentials": {
    "status": 401,
    "title": "Unauthorized",
    "detail": "Several credentials: send the source key in one place only"
  },
  "invalid_signature": {
    "status": 401,
    "title": "Unauthorized",
    "detail": "Invalid signature: it is missing, more than 300 s old, or not made of this body with the signing secret of the connection"
  },
  "insufficient_scope": {
    "status": 403,
    "title": "Forbidden",
    "detail": 'This API key or token lacks the scope "{scope}": use one that has it, or create a key with `keys create --scopes {scope}`'
  },
  "other_person": {
    "status": 403,
    "title": "Forbidden",
    "detail": 'This token is for one person only: send "me" as subject_id, or omit it where it is optional'
  },
  "grant_required": {
    "status": 403,
    "title": "Forbidden",
    "detail": 'This link lacks the grant "{grant}": ask for a link that has it'
  },
  "link_not_recent": {
    "status": 403,
    "title": "Forbidden",
    "detail": "This link was opened more than {minutes} minutes ago: ask for a new link, and do this right after it opens"
  },
  "page_required": {
    "status": 403,
    "title": "Forbidden",
    "detail": "Only the page of the link may send this: send Origin as in PUBLIC_URL, and X-Page-Token as the page got it"
  },
  "consent_required": {
    "status": 403,
    "title": "Forbidden",
    "detail": "This account stores only readings with consent",
    "explanation": "{reason}"
  },
  "biometrics_refused": {
    "status": 403,
    "title": "Forbidden",
    "detail": "In the context {context}, a consent may not contain {categories}, because this account states no medical or safety purpose (EU AI Act, Article 5(1)(f)): omit them, or ask the operator about `accounts set ACCOUNT biometric-purpose`"
  },
  "origin_not_allowed": {
    "status": 403,
    "title": "Forbidden",
    "detail": "Web pages of this origin may not call /mcp: add the origin to CORS_ORIGINS"
  },
  "path_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No such path"
  },
  "session_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No data for this session"
  },
  "subject_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No data for this subject"
  },
  "consent_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No consent is recorded for this subject"
  },
  "topic_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No such topic of this subject"
  },
  "fact_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No such fact of this subject"
  },
  "source_key_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No such source key"
  },
  "link_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No such link"
  },
  "webhook_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No such webhook"
  },
  "alert_rule_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No such alert rule"
  },
  "delivery_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No such delivery"
  },
  "method_not_allowed": {
    "status": 405,
    "title": "Method Not Allowed",
    "detail": "Method not allowed"
  },
  "request_timeout": {
    "status": 408,
    "title": "Request Timeout",
    "detail": "Request not completed in time"
  },
  "headers_too_large": {
    "status": 431,
    "title": "Request Header Fields Too Large",
    "detail": "Headers too large"
  },
  "body_too_large": {
    "status": 413,
    "title": "Content Too Large",
    "detail": "Body too large",
    "explanation": "this line is a string that contains JSON, so the body was encoded as JSON twice. Send readings as objects: one per line, or as an array with Content-Type: application/json"
  },
  "unsupported_media_type": {
    "status": 415,
    "title": "Unsupported Media Type",
    "detail": "Unsupported media type",
    "explanation": "received {received}. Send Content-Type: {expected}, UTF-8 and not compressed"
  },
  "validation_failed": {
    "status": 422,
    "title": "Unprocessable Content",
    "detail": "Input should be valid"
  },
  "subject_mismatch": {
    "status": 422,
    "title": "Unprocessable Content",
    "detail": "This session belongs to another subject"
  },
  "sample_too_old": {
    "status": 422,
    "title": "Unprocessable Content",
    "detail": "The hour of this sample is already stored as a summary"
  },
  "rate_limit_exceeded": {
    "status": 429,
    "title": "Too Many Requests",
    "detail": "Rate limit exceeded"
  },
  "rotation_in_progress": {
    "status": 409,
    "title": "Conflict",
    "detail": "The previous secret of this webhook signs deliveries until {until}: rotate again after that, or remove the webhook and register it again"
  },
  "consent_off": {
    "status": 409,
    "title": "Conflict",
    "detail": "This account records no consent: the operator turns it on with `accounts set ACCOUNT consent enforce`"
  },
  "consent_outdated": {
    "status": 409,
    "title": "Conflict",
    "detail": "A consent of {newest} is recorded: send only the newest decision of the person. A decision that allows more requires a later event_time that is not ahead of the service's clock"
  },
  "subject_erased": {
    "status": 409,
    "title": "Conflict",
    "detail": "Subject erased"
  },
  "idempotency_key_in_use": {
    "status": 409,
    "title": "Conflict",
    "detail": "A request with this Idempotency-Key is in progress: send the same request again after Retry-After seconds"
  },
  "idempotency_key_reused": {
    "status": 422,
    "title": "Unprocessable Content",
    "detail": "This Idempotency-Key was used for a different request: use a new key"
  },
  "internal_error": {
    "status": 500,
    "title": "Internal Server Error",
    "detail": "Internal server error"
  },
  "service_unavailable": {
    "status": 503,
    "title": "Service Unavailable",
    "detail": "Service unavailable",
    "explanation": "{cause}"
  }
};
var faults = {
  "number_type": {
    "detail": "Input should be a valid number"
  },
  "integer_type": {
    "detail": "Input should be a valid integer"
  },
  "string_type": {
    "detail": "Input should be a valid string"
  },
  "object_type": {
    "detail": "Input should be a valid object"
  },
  "array_type": {
    "detail": "Input should be a valid array"
  },
  "encoded_twice": {
    "detail": "Input should be an object, not a string that contains JSON: the body was encoded as JSON twice. Send readings as objects: one per line, or as an array with Content-Type: application/json"
  },
  "boolean_type": {
    "detail": "Input should be true or false"
  },
  "enum": {
    "detail": "Input should be one of the allowed values"
  },
  "extra_forbidden": {
    "detail": "Extra inputs are not permitted"
  },
  "missing": {
    "detail": "Field required",
    "choice_detail": "Field required: {limit}"
  },
  "greater_than_equal": {
    "detail": "Input should be greater than or equal to {limit}"
  },
  "less_than_equal": {
    "detail": "Input should be less than or equal to {limit}"
  },
  "string_too_short": {
    "detail": "Input should have at least {limit} characters"
  },
  "string_too_long": {
    "detail": "Input should have at most {limit} characters"
  },
  "too_few_items": {
    "detail": "Input should have at least {limit} items"
  },
  "too_many_items": {
    "detail": "Input should have at most {limit} items"
  },
  "not_unique": {
    "detail": "Input should not contain duplicate items"
  },
  "pattern_mismatch": {
    "detail": "Input should match {limit}"
  },
  "date_time_invalid": {
    "detail": "Not a valid calendar date-time, e.g. 2026-11-21T09:30:00Z"
  },
  "repeated": {
    "detail": "Parameter should be given only once"
  },
  "exclusive": {
    "detail": "Input should contain exactly one of {limit}",
    "optional_detail": "Input should contain at most one of {limit}"
  },
  "url_invalid": {
    "detail": "Input should be an absolute URL with a host"
  },
  "url_scheme": {
    "detail": "Input should be an https URL"
  },
  "url_credentials": {
    "detail": "Input should be a URL without user name and password"
  },
  "url_fragment": {
    "detail": "Input should be a URL without a fragment"
  },
  "address_refused": {
    "detail": "Input should be a URL with a public address, not a private, loopback, link-local or reserved one"
  },
  "too_many_webhooks": {
    "detail": "An account may have at most {limit} webhooks: remove one first"
  },
  "event_of_person": {
    "detail": "The event {limit} is of a person: remove session_id, or register another webhook without it"
  },
  "too_many_alert_rules": {
    "detail": "An account may have at most {limit} alert rules: remove one first"
  },
  "other_condition": {
    "detail": "Input does not belong to the condition {limit}: remove it"
  },
  "too_many_source_keys": {
    "detail": "A person may have at most {limit} source keys: remove one first"
  },
  "too_many_links": {
    "detail": "A person may have at most {limit} links: revoke one first"
  },
  "links_unavailable": {
    "detail": "This service gives no links: the operator sets PUBLIC_URL to an https URL. http is allowed on loopback only"
  },
  "fact_end": {
    "detail": "Input should be after the start, and at most {limit} h after it"
  },
  "fact_level": {
    "detail": "Input belongs to the kind exercise: remove it"
  },
  "too_many_facts": {
    "detail": "A person may have at most {limit} facts: remove one first"
  },
  "ndjson_only": {
    "detail": "Input requires format=ndjson"
  },
  "source_form": {
    "detail": "Input should be a body as the source {limit} sends it"
  },
  "signing_secret": {
    "detail": "Input should be the signing secret as the hub shows it, e.g. whsec_ and base64 for Open Wearables and Junction"
  },
  "cursor_invalid": {
    "detail": "Input should be the next_cursor of a previous response"
  },
  "range_empty": {
    "detail": "Input should be earlier than the end of the range"
  },
  "time_zone_invalid": {
    "detail": "Input should be an IANA time zone, e.g. Europe/Vienna"
  },
  "time_zone_of_hours": {
    "detail": "Input requires interval=day: hours are UTC hours in every time zone"
  },
  "invalid": {
    "detail": "Input should be valid"
  },
  "subject_mismatch": {
    "detail": "This session belongs to another subject"
  },
  "sample_mismatch": {
    "detail": "This sample of the session has another timestamp"
  },
  "idempotency_key_reused": {
    "detail": "This Idempotency-Key was used for a different request: use a new key"
  }
};
var enums = {
  "Gaze": [
    "direct",
    "averted",
    "downward",
    "wandering"
  ],
  "Posture": [
    "upright",
    "leaning_forward",
    "leaning_back",
    "slouched"
  ],
  "GlucoseTrend": [
    "rapid_fall",
    "falling",
    "stable",
    "rising",
    "rapid_rise"
  ],
  "SleepStage": [
    "awake",
    "light",
    "deep",
    "rem"
  ],
  "Tone": [
    "calm",
    "focused",
    "hesitant",
    "tense",
    "frustrated",
    "anxious",
    "hostile",
    "excited",
    "neutral"
  ],
  "Expression": [
    "relaxed",
    "concentrated",
    "frowning",
    "smiling",
    "tense",
    "surprised",
    "neutral"
  ],
  "Urgency": [
    "low",
    "medium",
    "high",
    "critical"
  ],
  "ActivityLevel": [
    "resting",
    "light",
    "moderate",
    "vigorous"
  ],
  "State": [
    "calm",
    "relaxed",
    "focused",
    "stressed",
    "acute_stress"
  ],
  "HspVersion": [
    "1.0"
  ],
  "RrQuality": [
    "usable",
    "unusable"
  ],
  "SuggestedAction": [
    "maintain_engagement",
    "simplify_and_focus",
    "de-escalate_and_shorten",
    "pause_and_ground"
  ],
  "SignalCategory": [
    "cardiovascular",
    "vocal",
    "visual",
    "textual"
  ],
  "Evidence": [
    "none"
  ],
  "SafetySource": [
    "built_in",
    "external",
    "both"
  ],
  "Trend": [
    "rising",
    "falling",
    "stable"
  ],
  "StreamEventType": [
    "reading",
    "state_change"
  ],
  "ExportFormat": [
    "ndjson",
    "csv"
  ],
  "TokenScope": [
    "ingest",
    "read",
    "feedback"
  ],
  "Source": [
    "health_auto_export",
    "health_connect",
    "apple_shortcuts",
    "generic",
    "open_wearables",
    "terra",
    "junction"
  ],
  "LinkGrant": [
    "read",
    "feedback",
    "correct",
    "connect",
    "withdraw",
    "erase"
  ],
  "SessionState": [
    "calm",
    "relaxed",
    "focused",
    "stressed",
    "acute_stress",
    "unknown",
    "ended"
  ],
  "SessionOrder": [
    "started",
    "score",
    "activity"
  ],
  "TriggerStatus": [
    "observed",
    "active",
    "resolved"
  ],
  "TriggerEvidence": [
    "weak",
    "moderate",
    "strong"
  ],
  "SummaryInterval": [
    "hour",
    "day"
  ],
  "NoteCode": [
    "time_pressure",
    "workload",
    "conflict",
    "worry",
    "pain",
    "illness",
    "poor_sleep",
    "physical_activity",
    "caffeine",
    "excitement",
    "rest",
    "device_problem",
    "other"
  ],
  "FactKind": [
    "exercise",
    "rest",
    "sleep",
    "not_worn",
    "other_person",
    "invalid"
  ],
  "ConsentCategory": [
    "cardiovascular",
    "vocal",
    "visual",
    "textual",
    "movement"
  ],
  "ConsentContext": [
    "personal",
    "care",
    "work",
    "education",
    "research"
  ],
  "EventKind": [
    "state_change",
    "alert",
    "trigger_active"
  ],
  "WebhookStatus": [
    "active",
    "failed",
    "disabled"
  ],
  "WebhookRetry": [
    "standard",
    "extended"
  ],
  "AlertCondition": [
    "stressed",
    "above_usual",
    "no_data",
    "trigger_active"
  ],
  "FailureReason": [
    "attempts_exhausted",
    "disabled",
    "queue_full"
  ],
  "DeliveryOutcome": [
    "pending",
    "delivered",
    "failed"
  ],
  "FailedDeliverySort": [
    "failure_time",
    "event_time"
  ],
  "ProblemCode": [
    "invalid_payload",
    "missing_signals",
    "timestamp_too_old",
    "timestamp_in_future",
    "feedback_too_old",
    "missing_api_key",
    "invalid_api_key",
    "invalid_token",
    "missing_source_key",
    "invalid_source_key",
    "credential_in_url",
    "invalid_link",
    "several_credentials",
    "invalid_signature",
    "insufficient_scope",
    "other_person",
    "grant_required",
    "link_not_recent",
    "page_required",
    "consent_required",
    "biometrics_refused",
    "origin_not_allowed",
    "path_not_found",
    "session_not_found",
    "subject_not_found",
    "consent_not_found",
    "topic_not_found",
    "fact_not_found",
    "source_key_not_found",
    "link_not_found",
    "webhook_not_found",
    "alert_rule_not_found",
    "delivery_not_found",
    "method_not_allowed",
    "request_timeout",
    "headers_too_large",
    "body_too_large",
    "unsupported_media_type",
    "validation_failed",
    "subject_mismatch",
    "sample_too_old",
    "rate_limit_exceeded",
    "rotation_in_progress",
    "consent_off",
    "consent_outdated",
    "subject_erased",
    "idempotency_key_in_use",
    "idempotency_key_reused",
    "internal_error",
    "service_unavailable"
  ],
  "LimitPolicy": [
    "session",
    "new-sessions",
    "month",
    "failed-authentications",
    "streams",
    "exports",
    "batches",
    "requests",
    "posts"
  ]
};
var signals = {
  "heart_rate": {
    "use": "evidence",
    "category": "cardiovascular",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "bpm",
    "minimum": 30,
    "maximum": 220
  },
  "sdnn": {
    "use": "evidence",
    "category": "cardiovascular",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "ms",
    "minimum": 1,
    "maximum": 500
  },
  "rmssd": {
    "use": "evidence",
    "category": "cardiovascular",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "ms",
    "minimum": 1,
    "maximum": 500
  },
  "rr_intervals_ms": {
    "use": "derivation",
    "category": "cardiovascular",
    "consent": "cardiovascular",
    "type": "array",
    "unit": "ms",
    "minimum": 250,
    "maximum": 2500,
    "items_max": 64
  },
  "tone": {
    "use": "evidence",
    "category": "vocal",
    "consent": "vocal",
    "type": "string",
    "values": [
      "calm",
      "focused",
      "hesitant",
      "tense",
      "frustrated",
      "anxious",
      "hostile",
      "excited",
      "neutral"
    ]
  },
  "expression": {
    "use": "evidence",
    "category": "visual",
    "consent": "visual",
    "type": "string",
    "values": [
      "relaxed",
      "concentrated",
      "frowning",
      "smiling",
      "tense",
      "surprised",
      "neutral"
    ]
  },
  "sentiment": {
    "use": "evidence",
    "category": "textual",
    "consent": "textual",
    "type": "number",
    "minimum": -1,
    "maximum": 1
  },
  "urgency": {
    "use": "evidence",
    "category": "textual",
    "consent": "textual",
    "type": "string",
    "values": [
      "low",
      "medium",
      "high",
      "critical"
    ]
  },
  "activity_level": {
    "use": "context",
    "consent": "movement",
    "type": "string",
    "values": [
      "resting",
      "light",
      "moderate",
      "vigorous"
    ]
  },
  "steps_last_minute": {
    "use": "context",
    "consent": "movement",
    "type": "integer",
    "unit": "steps",
    "minimum": 0,
    "maximum": 400
  },
  "respiratory_rate": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "breaths per minute",
    "minimum": 4,
    "maximum": 60
  },
  "skin_temperature": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB0C",
    "minimum": 10,
    "maximum": 45
  },
  "eda": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB5S",
    "minimum": 0,
    "maximum": 100
  },
  "spo2": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "%",
    "minimum": 0,
    "maximum": 100
  },
  "pnn50": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "%",
    "minimum": 0,
    "maximum": 100
  },
  "mean_ibi": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "ms",
    "minimum": 250,
    "maximum": 2500
  },
  "ibi_count": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "integer",
    "unit": "intervals",
    "minimum": 0,
    "maximum": 1e6
  },
  "speech_rate": {
    "use": "stored only",
    "consent": "vocal",
    "type": "number",
    "unit": "words per minute",
    "minimum": 0,
    "maximum": 1e3
  },
  "pitch_variability": {
    "use": "stored only",
    "consent": "vocal",
    "type": "number",
    "unit": "Hz",
    "minimum": 0,
    "maximum": 1e3
  },
  "gaze": {
    "use": "stored only",
    "consent": "visual",
    "type": "string",
    "values": [
      "direct",
      "averted",
      "downward",
      "wandering"
    ]
  },
  "posture": {
    "use": "stored only",
    "consent": "visual",
    "type": "string",
    "values": [
      "upright",
      "leaning_forward",
      "leaning_back",
      "slouched"
    ]
  },
  "engagement": {
    "use": "stored only",
    "consent": "visual",
    "type": "number",
    "minimum": 0,
    "maximum": 1
  },
  "glucose_mg_dl": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "mg/dL",
    "minimum": 20,
    "maximum": 600
  },
  "glucose_mmol_l": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "mmol/L",
    "minimum": 1,
    "maximum": 33
  },
  "glucose_trend": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "string",
    "values": [
      "rapid_fall",
      "falling",
      "stable",
      "rising",
      "rapid_rise"
    ]
  },
  "eeg_alpha_power": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB5V\xB2",
    "minimum": 0,
    "maximum": 1e5
  },
  "eeg_beta_power": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB5V\xB2",
    "minimum": 0,
    "maximum": 1e5
  },
  "eeg_theta_power": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB5V\xB2",
    "minimum": 0,
    "maximum": 1e5
  },
  "cognitive_load": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "minimum": 0,
    "maximum": 1
  },
  "sleep_stage": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "string",
    "values": [
      "awake",
      "light",
      "deep",
      "rem"
    ]
  }
};

// src/contract/problem.ts
var ProblemError = class extends Error {
  code;
  faults;
  omitted;
  retryAfterSeconds;
  position;
  hint;
  constructor(code, options = {}) {
    super(options.detail ?? describeProblem(code, options), { cause: options.cause });
    this.code = code;
    this.faults = options.faults?.slice(0, validation.errors_max);
    this.omitted = (options.omitted ?? 0) + (options.faults?.length ?? 0) - (this.faults?.length ?? 0);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.position = options.position;
    this.hint = options.hint;
  }
  get status() {
    return problems[this.code].status;
  }
  /** Returns the body of the response (RFC 9457). `detail` is that of the first validation error, if there is one. */
  toBody(requestId) {
    const { status, title } = problems[this.code];
    const type = problemTypePrefix + this.code;
    const body = { type, title, status, detail: this.faults?.[0]?.detail ?? this.message, code: this.code };
    const { faults: faults2, omitted, position, hint } = this;
    const named = { ...faults2 && { errors: [...faults2] }, ...omitted > 0 && { errors_omitted: omitted } };
    return { ...body, request_id: requestId, ...named, ...position && { position }, ...hint && { hint } };
  }
};
function createFault(code, place, limit) {
  return { detail: faults[code].detail.replace("{limit}", limit ?? ""), code, ...place };
}
function describeProblem(code, { values, explanation }) {
  const problem = problems[code];
  const detail = fill(problem.detail, values);
  return explanation && problem.explanation ? `${detail}: ${fill(problem.explanation, explanation)}` : detail;
}
function fill(detail, values = {}) {
  return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), detail);
}

// packages/text/settings.ts
var topicExtraction = {
  concern_log_odds_min: 0.1,
  // natural log odds; a turn has topics only from here on. Chosen by cross-validation over kinds of text
  area_share_min: 0.18,
  // 0–1; a turn's likeliest area must reach it. cross-validated (0.15, 0.2, 0.25, 0.3, 0.38 tried)
  named_area_share_min: 0.18,
  // 0–1; the same where a phrase names a topic or the session is about the area. cross-validated (0.18 to 0.33 tried)
  named_points_min: 1,
  // words of a phrase from which it names its topic; a hint has half a one. cross-validated (1 and 2 tried)
  session_area_turns_min: 0.4,
  // decayed turns from which a session is about an area. judgement
  further_area_share_min: 0.15,
  // 0–1; a further area with a phrase of its own is named as well. judgement
  own_share_min: 0.18,
  // 0–1; a turn must reach it without the session's help. judgement
  phrase_log_odds_per_point: 0.4,
  // natural log odds for each word of a phrase; cross-validated (0, 0.25, 0.5, 0.8 tried)
  phrase_points_max: 3,
  // words of a phrase that count. judgement
  assistant_weight: 0.45,
  // the assistant's words against the user's 1. judgement
  evidence_half_life_turns: 3,
  // turns after which evidence counts half. judgement
  evidence_doubling_turns: 0.35,
  // turns of evidence that double an area's odds. judgement
  context_points_weight: 0.5,
  // the session's phrases in choosing between the user's. judgement
  context_points_min: 0.5,
  // phrase points from which a turn goes on with the session's topic. judgement
  topics_per_turn_max: 3
  // topics named for one turn. judgement
};

// packages/score/generated/contract.ts
var bands = [
  {
    "state": "calm",
    "min_score": 0,
    "max_score": 19,
    "suggested_action": "maintain_engagement",
    "recommendation": "Continue as you are, with full depth and your usual tone."
  },
  {
    "state": "relaxed",
    "min_score": 20,
    "max_score": 39,
    "suggested_action": "maintain_engagement",
    "recommendation": "Continue at the present pace; there is room for detail and for new topics."
  },
  {
    "state": "focused",
    "min_score": 40,
    "max_score": 59,
    "suggested_action": "simplify_and_focus",
    "recommendation": "Keep to one subject, structure the answer in short steps and leave side issues out."
  },
  {
    "state": "stressed",
    "min_score": 60,
    "max_score": 79,
    "suggested_action": "de-escalate_and_shorten",
    "recommendation": "Answer in at most two short, concrete sentences, acknowledge the strain and ask for nothing that can wait."
  },
  {
    "state": "acute_stress",
    "min_score": 80,
    "max_score": 100,
    "suggested_action": "pause_and_ground",
    "recommendation": "Pause the task and offer one calm, grounding sentence; do not add information or questions."
  }
];
var triggers = {
  "newest_weight": 0.5,
  "other_turns_min": 10,
  "active_from_state": "stressed",
  "active_at_once_from_state": "acute_stress",
  "resolved_below_state": "focused",
  "resolving_sightings": 2,
  "status_changes_max": 20
};
var modelVersion = {
  "number": 3
};
var scoreMax = 100;
var signalAges = {
  "half_life_seconds": 60,
  "stale_after_seconds": 300,
  "fresh_seconds": 5,
  "statement_seconds": 120
};
var summaries = {
  "state_seconds_max": 300,
  "topics_max": 5
};
var signalCategories = [
  "cardiovascular",
  "vocal",
  "visual",
  "textual"
];
var signals2 = {
  "heart_rate": {
    "use": "evidence",
    "category": "cardiovascular",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "bpm",
    "minimum": 30,
    "maximum": 220
  },
  "sdnn": {
    "use": "evidence",
    "category": "cardiovascular",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "ms",
    "minimum": 1,
    "maximum": 500
  },
  "rmssd": {
    "use": "evidence",
    "category": "cardiovascular",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "ms",
    "minimum": 1,
    "maximum": 500
  },
  "rr_intervals_ms": {
    "use": "derivation",
    "category": "cardiovascular",
    "consent": "cardiovascular",
    "type": "array",
    "unit": "ms",
    "minimum": 250,
    "maximum": 2500,
    "items_max": 64
  },
  "tone": {
    "use": "evidence",
    "category": "vocal",
    "consent": "vocal",
    "type": "string",
    "values": [
      "calm",
      "focused",
      "hesitant",
      "tense",
      "frustrated",
      "anxious",
      "hostile",
      "excited",
      "neutral"
    ]
  },
  "expression": {
    "use": "evidence",
    "category": "visual",
    "consent": "visual",
    "type": "string",
    "values": [
      "relaxed",
      "concentrated",
      "frowning",
      "smiling",
      "tense",
      "surprised",
      "neutral"
    ]
  },
  "sentiment": {
    "use": "evidence",
    "category": "textual",
    "consent": "textual",
    "type": "number",
    "minimum": -1,
    "maximum": 1
  },
  "urgency": {
    "use": "evidence",
    "category": "textual",
    "consent": "textual",
    "type": "string",
    "values": [
      "low",
      "medium",
      "high",
      "critical"
    ]
  },
  "activity_level": {
    "use": "context",
    "consent": "movement",
    "type": "string",
    "values": [
      "resting",
      "light",
      "moderate",
      "vigorous"
    ]
  },
  "steps_last_minute": {
    "use": "context",
    "consent": "movement",
    "type": "integer",
    "unit": "steps",
    "minimum": 0,
    "maximum": 400
  },
  "respiratory_rate": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "breaths per minute",
    "minimum": 4,
    "maximum": 60
  },
  "skin_temperature": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB0C",
    "minimum": 10,
    "maximum": 45
  },
  "eda": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB5S",
    "minimum": 0,
    "maximum": 100
  },
  "spo2": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "%",
    "minimum": 0,
    "maximum": 100
  },
  "pnn50": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "%",
    "minimum": 0,
    "maximum": 100
  },
  "mean_ibi": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "ms",
    "minimum": 250,
    "maximum": 2500
  },
  "ibi_count": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "integer",
    "unit": "intervals",
    "minimum": 0,
    "maximum": 1e6
  },
  "speech_rate": {
    "use": "stored only",
    "consent": "vocal",
    "type": "number",
    "unit": "words per minute",
    "minimum": 0,
    "maximum": 1e3
  },
  "pitch_variability": {
    "use": "stored only",
    "consent": "vocal",
    "type": "number",
    "unit": "Hz",
    "minimum": 0,
    "maximum": 1e3
  },
  "gaze": {
    "use": "stored only",
    "consent": "visual",
    "type": "string",
    "values": [
      "direct",
      "averted",
      "downward",
      "wandering"
    ]
  },
  "posture": {
    "use": "stored only",
    "consent": "visual",
    "type": "string",
    "values": [
      "upright",
      "leaning_forward",
      "leaning_back",
      "slouched"
    ]
  },
  "engagement": {
    "use": "stored only",
    "consent": "visual",
    "type": "number",
    "minimum": 0,
    "maximum": 1
  },
  "glucose_mg_dl": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "mg/dL",
    "minimum": 20,
    "maximum": 600
  },
  "glucose_mmol_l": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "mmol/L",
    "minimum": 1,
    "maximum": 33
  },
  "glucose_trend": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "string",
    "values": [
      "rapid_fall",
      "falling",
      "stable",
      "rising",
      "rapid_rise"
    ]
  },
  "eeg_alpha_power": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB5V\xB2",
    "minimum": 0,
    "maximum": 1e5
  },
  "eeg_beta_power": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB5V\xB2",
    "minimum": 0,
    "maximum": 1e5
  },
  "eeg_theta_power": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "\xB5V\xB2",
    "minimum": 0,
    "maximum": 1e5
  },
  "cognitive_load": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "minimum": 0,
    "maximum": 1
  },
  "sleep_stage": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "string",
    "values": [
      "awake",
      "light",
      "deep",
      "rem"
    ]
  }
};

// packages/score/model.ts
var stressModel = {
  score_max: scoreMax,
  neutral_log_odds: -0.7,
  // judgment: a score of 33 without evidence, so that focused requires evidence of load
  calm_share: 0.51,
  // judgment: evidence for calm counts less, so that calm requires clear evidence; fitted to the reference scenes
  age: {
    half_life_seconds: signalAges.half_life_seconds,
    stale_after_seconds: signalAges.stale_after_seconds,
    fresh_seconds: signalAges.fresh_seconds
  },
  // relative to the resting heart rate; cold: while the person is unknown
  heart_rate: {
    population_resting_bpm: 68,
    // between resting norms (65.5, Quer et al. 2020; 64-68, Dantas et al. 2018) and relaxed people in a lab (74, StressID)
    population_sd_bpm: 11.4,
    // between people, StressID
    log_odds_per_bpm_below: 0.04,
    // judgment: below rest, each bpm is weak evidence
    calm_log_odds: 2.4,
    // judgment: evidence for calm at the lowest heart rates of the day, for a person with many learned hours
    calm_from_bpm: 9,
    // wearers_dev: above the resting heart rate; evidence for calm starts here ...
    calm_full_bpm: 4,
    // ... and is complete here
    cold_log_odds_per_bpm_near: 0.02,
    // judgment: between rest and raised_from_bpm, each bpm is weaker evidence ...
    log_odds_per_bpm_near: 0.032,
    // StressID: ... than for a known person
    raised_from_bpm: 2.5,
    // judgment: a resting heart rate is a low quantile, so a resting person lies up to 2.5 bpm above it
    log_odds_per_bpm: 0.18,
    // StressID: a logistic fit gives 0.22; tempered, so that 14 bpm above rest is stressed and 5 bpm is relaxed
    cold_raised_from_bpm: 10,
    // judgment: about one standard deviation between people
    cold_log_odds_per_bpm: 0.05,
    // 0.17 times the share of variance that is within people, 7.6^2 / (7.6^2 + 11.4^2) = 0.31, StressID
    known_exponent: 2,
    // StressID: evidence per bpm grows from the cold one with the square of what is known
    stressed_rise_bpm: 9.7,
    // the rise that counts as stressed for a person with few readings
    stressed_rise_bpm_max: 40,
    // judgment: the same for a person with the largest everyday rises; equals exertion_from_bpm
    log_odds_max: 1.55,
    // judgment: saturation; heart rate alone reaches 70
    log_odds_with_hrv_max: 1.8
    // judgment: heart rate and its variability together reach 75, never acute_stress
  },
  // SDNN and RMSSD, one evidence on the log scale; falling variability raises stress
  hrv: {
    sdnn_population_ln_ms: 3.8,
    // about 45 ms: 42 ms in Dantas et al. 2018, 50 ms in Nunan et al. 2010
    rmssd_population_ln_ms: 3.7,
    // about 40 ms: 42 ms in Nunan et al. 2010
    calm_from_ln: 0.4,
    // judgment: variability 50 % above a person's typical value; deep breathing in StressID exceeds it
    calm_log_odds_per_ln: 8,
    // judgment: twice the typical variability is calm
    calm_log_odds_max: 2.4,
    // judgment: saturation, so that variability alone reaches calm
    log_odds_per_ln: 0.1,
    // StressID: adds nothing measurable, so it stays a small term
    fall_from_ln: 0.55,
    // judgment: a variability about 40 % below the person's own level is a fall, ...
    fall_full_ln: 0.69,
    // judgment: ... and counts fully at half of this level ...
    fall_points: 7,
    // judgment: ... with these points, ...
    fall_score_max: 55,
    // judgment: ... up to this score, which is focused
    log_odds_max: 0.4
    // judgment: saturation; SDNN alone separates little (AUC 0.51-0.56 StressID)
  },
  // of heart rate, so that the density of a stream does not determine the state
  smoothing: {
    window_seconds: 30,
    // a trimmed mean over the last half minute, every reading weighted by the time it represents
    trimmed_share: 0.25,
    // the lowest and the highest quarter are excluded
    slot_seconds: 10,
    // readings of one slot are stored as their mean, so that a session stores at most 5
    steady_seconds: 150,
    // time constant of the smoothed level; Stress-Predict: readings every 1 to 60 s then give the same state
    steady_within_bpm: 20,
    // a larger change is followed immediately, down to this distance
    back_seconds: 90,
    // a return to the typical heart rate that lasts this long is followed at once; Stress-Predict: at most 6 state changes per hour
    back_gaps: 3,
    // nurses_dev: or, if readings are far apart, this many times the time between two of them
    back_from_bpm: 4,
    // the smoothed level is at least this far above the mean meanwhile
    back_to_bpm: 2.5,
    // and the mean is at most this far above the typical heart rate
    silence_seconds: 120
    // after a pause of this length, only the newest reading counts
  },
  // a rise above the last quiet minutes is stressed, also within the person's ordinary rises
  sudden_rise: {
    quiet_seconds: 600,
    // wearers_dev: shortest quiet time before the rise
    mean_seconds: 200,
    // wearers_dev: time constant with which the mean and the variance of the quiet time fade
    sd_bpm_max: 4,
    // wearers_dev: largest standard deviation of a heart rate that counts as quiet
    from_bpm: 18,
    // wearers_dev: smallest rise above the mean of the quiet time
    rise_seconds: 120,
    // wearers_dev: shortest rise
    until_bpm: 12,
    // judgment: the rise ends below this distance from the mean
    rise_seconds_max: 1800,
    // judgment: a longer rise counts against the person's day only
    pause_seconds: 180,
    // judgment: a longer pause ends the quiet time
    log_odds: 1.5
    // judgment: a score of 69
  },
  // a jump counts after the next reading confirms it
  plausibility: {
    jump_bpm: 25,
    // judgment: a heart rate rarely changes more within seconds
    jump_bpm_per_second: 0.5,
    // judgment: additional allowed change per second between the readings
    below_rest_bpm: 15
    // judgment: for rates this far below rest, a longer gap does not increase the allowed change
  },
  movement: {
    exertion_from_bpm: 40,
    // judgment: mental stress rarely raises a heart rate further above rest; 3 of 48 people in StressID reach 55
    explained_bpm_per_bpm: 1.5,
    // judgment: each bpm above exertion_from_bpm explains this many bpm of the rise; the whole rise at 120 bpm above rest
    statement_seconds: signalAges.statement_seconds,
    implied_share_max: 0.55,
    // judgment: a heart rate alone never explains more of its own rise, so that a very high one is at least focused
    learned_share_max: 0.5,
    // judgment: a reading updates no baseline while movement explains more than this share of the rise
    recovery_half_life_seconds: 60,
    // heart rate recovery: 12 bpm or more in the first minute is normal (Cole et al. 1999)
    activity_rise_bpm: { resting: 0, light: 15, moderate: 45, vigorous: 80 },
    // judgment, from the heart rate zones of the ACSM guidelines
    light_steps: 60,
    // steps per minute; Tudor-Locke et al. 2018: 60-99 slow to medium walking
    moderate_steps: 100,
    // Tudor-Locke et al. 2018
    vigorous_steps: 130
    // Tudor-Locke et al. 2018
  },
  label_log_odds: 1.85,
  // judgment: evidence of a fully stressful label at reliability 1; fitted to the reference scenes
  sentiment_exponent: 1.2,
  // judgment: words near neutral are weak evidence
  label_neutral_points: 37,
  // word "neutral", Warriner et al. 2013, 50*(9-V)/8 + 50*(A-1)/8
  label_span_points: 32,
  // from "neutral" to the most stressful word, "hostile" (69)
  // rater agreement (kappa) in multimodal stress labeling, ICMI 2024
  reliability: {
    tone: 0.42,
    expression: 0.7,
    sentiment: 0.85,
    urgency: 0.3
    // judgment: a label of the matter, not of the person
  },
  // Warriner et al. 2013, as above
  tone_points: {
    calm: 17,
    neutral: 37,
    focused: 38,
    // 37 as above; just above neutral, because all of its evidence is load
    excited: 40,
    hesitant: 46,
    anxious: 65,
    tense: 66,
    frustrated: 68,
    hostile: 69
  },
  // Warriner et al. 2013, the words relaxed, smile, neutral, surprised, frown, tense
  expression_points: {
    relaxed: 20,
    smiling: 30,
    neutral: 37,
    concentrated: 38,
    // 42 as above; just above neutral, because all of its evidence is load
    surprised: 46,
    frowning: 52,
    tense: 66
  },
  // stressful tones that agree count as several ratings (Spearman-Brown)
  repetition: {
    from_points: 60,
    // judgment: anxious, tense, frustrated and hostile
    rating_seconds: 10,
    // judgment: labels of the same few seconds are not independent, so this time makes a rating
    ratings_max: 4,
    // judgment: a reliability of 0.74, below that of words
    total_log_odds_max: 1.35
    // judgment: repetition raises the score to 66 at most, never to acute_stress
  },
  // concentrated work is focused, not stressed
  load: {
    log_odds: { focused: 0.62, concentrated: 0.5 },
    // judgment: each alone is enough for focused
    total_log_odds_max: 0.9,
    // judgment: load raises the score to 55 at most
    rise_bpm: 8
    // judgment: concentration explains this rise of the heart rate
  },
  // judgment: an urgent matter is weak evidence about the person, so critical counts less than a fully stressful label
  urgency_log_odds: { low: -0.1, medium: 0.1, high: 0.35, critical: 0.6 },
  baseline: {
    reading_seconds_max: 120,
    // maximum time that one reading represents; a first reading represents this time
    resting_quantile: 0.1,
    // StressID: 0.1 and 0.2 give the best AUC; the lower one is more stable during long stress
    phase_hours: 4,
    // judgment: a person's night and morning lie in the same hours of the UTC day every day
    typical_quantile: 0.6,
    // wearers_dev: the typical heart rate of a person with many learned hours
    raised_quantile: 0.835,
    // wearers_dev: with many learned hours, the rise from typical_quantile to here counts as stressed
    typical_weight_seconds: 5300,
    // wearers_dev: learned time after which the typical heart rate is halfway between both quantiles
    new_weight_seconds: 3e3,
    // speech_dev, nurses_dev: learned time after which a person counts half as new
    phase_weight_seconds: 7200,
    // wearers_dev: learned time after which the hours of the day count half
    day_phases: 4,
    // judgment: backfilled readings in so many phases are more than a night, and tell the level of the day
    bin_bpm: 2,
    // judgment: resolution of the stored histogram
    weight_seconds: 30,
    // of the population; StressID: a quarter of a 120 s window gives AUC 0.90, half 0.89, a whole one 0.87
    high_from_bpm: 20,
    // judgment: a level further above the population may be that of a tense person ...
    high_after_seconds: 1800,
    // judgment: ... so it starts to count after this learned time ...
    high_learned_seconds: 14400,
    // judgment: ... and counts like any other after this ...
    high_phases: 3,
    // judgment: ... or when it is learned in so many phases, e.g. over a night
    capacity_seconds: 604800,
    // judgment: after seven days of readings, the weight of all of them is halved, so that newer readings count more
    half_life_days: 28,
    // judgment: fitness, medication and seasons move a resting heart rate over weeks
    remembered_seconds: 14400,
    // judgment: decay leaves at least four hours
    personal_share: 0.95,
    // judgment: from this share of the own level on, texts say "this person's typical heart rate": after ten minutes
    devices_max: 4
    // judgment: devices per person whose variability is learned separately; the least recently used one is dropped
  },
  // the estimated probability that a score is on the right side of the edge between relaxed and focused; the first ten are
  // chosen for the worst set of evaluate:life, so that states of heart data are right as often as they state
  confidence: {
    max: 0.9,
    // judgment: of all signals together; StressID's fused models reach only AUC 0.64
    heart_calm: 0.76,
    // reliability of a calm heart rate of a known person ...
    heart_calm_cold: 0.54,
    // ... and of an unknown person, whose calm level may be another one
    heart_raised: 0.815,
    // reliability of a raised heart rate of a person with hours of data ...
    heart_raised_cold: 0.65,
    // ... and of a new person ...
    raised_half_seconds: 600,
    // ... halfway between both after this time
    edge_share: 0.75,
    // remaining share at the edge, where most wrong states are ...
    calm_points: 12,
    // ... which grows to 1 over this distance below the edge, ...
    raised_points: 24,
    // ... or this one above it, which only a stressed score reaches, ...
    raised_exponent: 2,
    // ... slowly at first: a heart rate between the person's calm and raised levels tells little
    edge_log_odds: 0.295,
    // evidence at the edge
    opposing_share: 0.75,
    // judgment: remaining share of the reliability of a category that is evidence for the other side
    evidence_min: 0.02,
    // judgment: a signal with a smaller weight does not count
    hrv: 0.1,
    // 2 * AUC - 1, AUC 0.55, StressID
    unconfirmed_share: 0.25,
    // judgment: remaining share of the heart rate's reliability while a jump is unconfirmed
    movement_share: 0.3,
    // judgment: reduction of the confidence while movement explains the heart rate
    contradiction_share: 0.5,
    // judgment: reduction of the confidence while categories contradict each other
    contradiction_log_odds: 0.5,
    // judgment: evidence of both directions from which a contradiction is complete
    device_change_seconds: 600,
    // judgment: after the device of the heart data changes, its values and its wearer are uncertain
    device_change_share: 0.7,
    // judgment: remaining share of the confidence in this time
    unlike_seconds: 1800,
    // judgment: a heart rate raised as under stress for this time may be another person's
    unlike_share: 0.7,
    // judgment: remaining share of the reliability of a heart rate that may be another person's
    unlike_rise_share: 0.75
    // judgment: share of the rise that counts as stressed from which a heart rate is raised; lower than 1, because a falling score stays stressed for a while
  },
  reason: {
    driver_share_min: 0.34,
    // judgment: the reason names signals with at least a third of the strongest signal's evidence
    driver_log_odds_min: 0.15,
    // judgment: about 3 points
    drivers_max: 3,
    // judgment: one plain sentence
    sentiment_strong: 0.5,
    // judgment: from this value on, words are "strongly" positive or negative
    movement_share_min: 0.3
    // judgment: from this share on, the reason states that movement explains the heart rate
  }
};
var rrIntervals = {
  window_seconds: 300,
  // short recordings last five minutes (Task Force of the ESC and NASPE 1996)
  least_seconds: 30,
  // SDNN and RMSSD of shorter recordings differ too much from those of five minutes (Munoz et al. 2015)
  artifact_share: 0.2,
  // an interval that differs by more from the median of its neighbors is an artifact
  neighbors: 10,
  // before and after an interval; with 5, a few extra beats mislead the median
  artifact_spreads: 3.2,
  // or this many median deviations of the window, if that is more: deep breathing is no artifact; evaluate:rr: with 2.5, clean RMSSD is up to 3 ms too low
  difference_medians: 2.6,
  // a misplaced peak: the absolute successive difference exceeds this multiple of the median absolute successive difference of the window; evaluate:rr: with 2.4, clean RMSSD is lower, with 3, small shifts stay
  difference_ms: 80,
  // and at least this much: a steady heart rate has a small median absolute successive difference
  lone_difference: 1.5,
  // a difference without an opposite one beside it must exceed the limit by this factor: slow breathing has such differences
  left_out_share_max: 0.5,
  // most intervals are artifacts: the window is unusable
  variability_share_max: 0.2,
  // RMSSD divided by the median interval, a coefficient of variation of successive differences (CVSD); evaluate:rr: 0.19 while breathing deeply, 0.26 and more for random intervals
  gap_seconds: 1
  // a longer silence between two beats separates their intervals; packets of a strap are late by up to this
};
var stateHold = {
  margin_points: 8,
  // A score rises to the next band when the fused value lies this far beyond the edge ...
  fall_margin_points: 4,
  // ... or falls to a lower band when it lies this far below the edge ...
  dwell_point_seconds: 340,
  // ... for this long, in points beyond the margin times seconds: 10 points for 34 s, 2 points for 170 s.
  dwell_seconds: 60,
  // A new band lasts at least this long against a change to the next one.
  rise_seconds: 300,
  // A rise of two bands is published immediately, also when the band between was published in these last seconds.
  immediate_log_odds: 0.5,
  // A rise is published immediately when voice, face and words add this much evidence, or when they alone reach its band.
  fade_half_life_seconds: 90,
  // For a fall, the strongest recent evidence of voice, face and words counts. It halves in this time.
  sparse_from_seconds: 10,
  // speech_dev: readings further apart than this need less margin for a rise of a new person, ...
  sparse_seconds: 30,
  // ... and none at this distance, ...
  sparse_dwell_factor: 5,
  // ... where the time above the edge counts so many times.
  settle_seconds: 60,
  // The dwell grows to its full length over the first seconds of a session.
  silence_seconds: 120
  // After a pause of this length, no score is held.
};
var heartRise = {
  rise_bpm: 8,
  // a rise starts when the heart rate, averaged over about smoothing_seconds, is this far above its lowest value since the last rise
  from_bpm: 5,
  // it is evidence for stress from here on ...
  log_odds_per_bpm: 0.12,
  // ... by this much per bpm above ...
  log_odds_max: 1.5,
  // ... up to a maximum
  low_seconds: 180,
  // the lowest value follows the heart rate upward with this time constant
  smoothing_seconds: 15,
  delay_seconds: 8,
  climb_seconds: 60,
  // a rise climbs for at most this long; a later climb is another rise
  window_seconds: 300,
  // a rise raises the stress of its turn for this long after the turn
  back_log_odds: 0.5
  // the rise has ended when the evidence of the heart is within this distance of its value before the rise
};
var turnResponse = {
  level_until_seconds: 30,
  // a turn takes over the smoothed heart rate this long after it, because the heart reacts late
  from_seconds: 60,
  // the response starts here ...
  until_seconds: 180,
  // ... and ends here
  reading_seconds_max: 60,
  // a reading represents at most this time
  log_odds_per_bpm: 0.1,
  // of a rise or a fall; less than heartRise, because ordinary movement goes both ways (0.06, 0.08, 0.1 and 0.12 tried) ...
  log_odds_max: 1.5,
  // ... up to a maximum
  open_max: 8
  // judgment: bound of the turns whose response is measured at the same time
};

// packages/score/rows/values.ts
function round3(value) {
  return Math.round(value * 1e3) / 1e3;
}
function round6(value) {
  return Math.round(value * 1e6) / 1e6;
}

// packages/score/running-mean.ts
function addValue(track, measured) {
  const { atMs } = measured;
  const [value, isSkipped] = [round6(measured.value), measured.isSkipped || void 0];
  const secondsMax = stressModel.baseline.reading_seconds_max;
  if (!track) return { firstAtMs: atMs, atMs, value, seconds: secondsMax, isSkipped };
  if (atMs < track.atMs) return track;
  if (atMs === track.atMs) return { ...track, value: Math.min(value, track.value), isSkipped };
  const seconds = Math.min(secondsMax, (atMs - track.atMs) / 1e3);
  const { mean, meanSeconds } = includeNewest(track, atMs);
  return { firstAtMs: keepFirstTime(track.firstAtMs, atMs), atMs, value, seconds, isSkipped, mean, meanSeconds };
}
function addLateValue(track, { atMs, value, isSkipped }, seconds) {
  if (isSkipped || seconds <= 0) return track;
  const { mean = 0, meanSeconds = 0 } = track;
  const together = meanSeconds + seconds;
  const shifted = mean + (round6(value) - mean) * seconds / together;
  return { ...track, firstAtMs: findFirstTime(track, atMs), mean: round6(shifted), meanSeconds: round3(together) };
}
function readMean(track, atMs, population) {
  if (!track) return { value: population, known: 0 };
  const { mean = population, meanSeconds = 0 } = includeNewest(track, atMs);
  const known = computeFamiliarity(track.firstAtMs, atMs) * (meanSeconds / (meanSeconds + stressModel.baseline.weight_seconds));
  return { value: population + known * (mean - population), known };
}
function computeFamiliarity(firstAtMs, atMs) {
  if (firstAtMs === void 0) return 1;
  return Math.min(1, Math.max(0, (atMs - firstAtMs) / 1e3 / stressModel.baseline.reading_seconds_max));
}
function keepFirstTime(firstAtMs, atMs) {
  return computeFamiliarity(firstAtMs, atMs) < 1 ? firstAtMs : void 0;
}
function findFirstTime({ firstAtMs, atMs }, pastMs) {
  return firstAtMs === void 0 ? void 0 : keepFirstTime(Math.min(firstAtMs, pastMs), atMs);
}
function includeNewest(track, atMs) {
  if (atMs <= track.atMs || track.isSkipped) return track;
  const { mean = 0, meanSeconds = 0 } = track;
  const seconds = meanSeconds + track.seconds;
  const left2 = seconds * computeRemainingShare(seconds, atMs - track.atMs);
  return { mean: round6(mean + (track.value - mean) * track.seconds / seconds), meanSeconds: round3(left2) };
}
function computeRemainingShare(seconds, gapMs2) {
  const { half_life_days, remembered_seconds } = stressModel.baseline;
  const left2 = 2 ** (-gapMs2 / (half_life_days * 24 * 60 * 60 * 1e3));
  return Math.max(left2, Math.min(1, remembered_seconds / seconds));
}

// packages/score/resting.ts
function addSmoothedRate(resting, rate) {
  const { atMs, isPast: isPast2 } = rate;
  const [bpm, isSkipped, isRaised2] = [round3(rate.bpm), rate.isSkipped || void 0, rate.isRaised || void 0];
  const secondsMax = stressModel.baseline.reading_seconds_max;
  if (!resting) return withLive({ firstAtMs: atMs, atMs, bpm, seconds: secondsMax, isSkipped, isRaised: isRaised2, isPast: isPast2 }, rate);
  if (atMs < resting.atMs) return resting;
  if (atMs === resting.atMs) return { ...resting, bpm, isSkipped, isRaised: isRaised2 };
  const seconds = Math.min(secondsMax, (atMs - resting.atMs) / 1e3);
  const { blockBpm, blockSeconds, seenSeconds, secondsByBpm, phases, live } = settle(resting, atMs);
  const firstAtMs = keepFirstTime(resting.firstAtMs, atMs);
  const raisedSeconds = addRaised(resting, atMs);
  const next = {
    // The large parts, which few readings change, come first: a database logs a changed text from its first difference on.
    firstAtMs,
    secondsByBpm,
    phases,
    pastPhases: resting.pastPhases,
    seenSeconds,
    atMs,
    bpm,
    seconds,
    isSkipped,
    isRaised: isRaised2,
    raisedSeconds,
    blockBpm,
    blockSeconds,
    isPast: isPast2,
    live
  };
  return withLive(next, rate);
}
function addPastRate(resting, rate, seconds) {
  if (rate.isSkipped || seconds <= 0) return resting;
  const started = withLive(resting, { ...rate, isPast: true });
  const added = forget(withNewest({ ...started, isPast: true, atMs: rate.atMs, bpm: round3(rate.bpm), seconds }), 0);
  const { blockBpm, blockSeconds, seenSeconds, secondsByBpm, phases, live } = added;
  const firstAtMs = findFirstTime(resting, rate.atMs);
  return { ...started, firstAtMs, blockBpm, blockSeconds, seenSeconds, secondsByBpm, phases, live };
}
function withLive(resting, { atMs, isPast: isPast2 }) {
  const { live, seenSeconds: seconds = 0, secondsByBpm = {}, phases = {}, pastPhases: before = [] } = resting;
  if (!isPast2) return resting;
  const phase = phaseAt(atMs);
  const pastPhases = before.includes(phase) ? before : [...before, phase];
  const isDay = (count) => count >= stressModel.baseline.day_phases;
  if (isDay(pastPhases.length)) return { ...resting, pastPhases, live: void 0 };
  const isNew = before.length === 0 && !isDay(Object.keys(phases).length);
  return { ...resting, pastPhases, live: isNew ? { seconds, secondsByBpm } : live };
}
function computeTypicalHeartRate(resting, atMs, isPast2 = false) {
  const { population_resting_bpm: population, stressed_rise_bpm } = stressModel.heart_rate;
  const raisedSeconds = (resting && addRaised(resting, atMs)) ?? 0;
  const unknown = { value: population, restingBpm: population, stressedRiseBpm: stressed_rise_bpm, raisedSeconds };
  const { seenSeconds = 0, secondsByBpm, phases, live: other } = resting ? settle(resting, atMs) : {};
  if (!resting || !secondsByBpm) return { ...unknown, known: 0, learnedSeconds: 0 };
  const whole = describe(secondsByBpm, seenSeconds);
  const inPhase = phases?.[phaseAt(atMs)] ?? {};
  const phaseSeconds = described.get(inPhase)?.seconds ?? addSeconds(inPhase);
  const phase = phaseSeconds > 0 ? describe(inPhase, phaseSeconds) : whole;
  const { weight_seconds, phase_weight_seconds } = stressModel.baseline;
  const phaseShare = computeLearnedShare(phaseSeconds, phase_weight_seconds);
  const ownBpm = blend(whole.typicalBpm, phase.typicalBpm, phaseShare);
  const familiarity = computeFamiliarity(resting.firstAtMs, atMs);
  const weighLevel = (bpm, seconds) => {
    const accepted = acceptHighLevel(bpm - population, seconds, phases);
    const known = familiarity * accepted * seconds / (seconds + weight_seconds);
    return { value: blend(population, bpm, known), known };
  };
  const own = weighLevel(ownBpm, seenSeconds);
  const live = isPast2 || !other ? own : weighLevel(describe(other.secondsByBpm, other.seconds).typicalBpm, other.seconds);
  const level = live.value > own.value ? live : own;
  return {
    ...level,
    restingBpm: blend(population, whole.restingBpm, own.known),
    stressedRiseBpm: blend(whole.stressedRiseBpm, phase.stressedRiseBpm, phaseShare),
    learnedSeconds: seenSeconds,
    raisedSeconds
  };
}
var blend = (one, other, share) => one + share * (other - one);
function acceptHighLevel(riseBpm, seconds, phases = {}) {
  const { high_from_bpm, high_after_seconds, high_learned_seconds, high_phases } = stressModel.baseline;
  if (riseBpm <= high_from_bpm || Object.keys(phases).length >= high_phases) return 1;
  const share = (seconds - high_after_seconds) / (high_learned_seconds - high_after_seconds);
  return blend(high_from_bpm / riseBpm, 1, Math.min(1, Math.max(0, share)));
}
function describe(secondsByBpm, seconds) {
  const known = described.get(secondsByBpm);
  if (known?.seconds === seconds) return known;
  const found = { seconds, ...describeBins(secondsByBpm, seconds) };
  described.set(secondsByBpm, found);
  return found;
}
var described = /* @__PURE__ */ new WeakMap();
function describeBins(secondsByBpm, seconds) {
  const { resting_quantile, typical_quantile, raised_quantile, typical_weight_seconds } = stressModel.baseline;
  const { stressed_rise_bpm, stressed_rise_bpm_max } = stressModel.heart_rate;
  const quantiles = [resting_quantile, typical_quantile, raised_quantile];
  const [restingBpm = 0, typicalBpm = 0, raisedBpm = 0] = findQuantiles(secondsByBpm, seconds, quantiles);
  const ownRise = Math.min(Math.max(raisedBpm - typicalBpm, stressed_rise_bpm), stressed_rise_bpm_max);
  const share = computeLearnedShare(seconds, typical_weight_seconds);
  return {
    restingBpm,
    typicalBpm: restingBpm + share * (typicalBpm - restingBpm),
    stressedRiseBpm: stressed_rise_bpm + share * (ownRise - stressed_rise_bpm)
  };
}
function computeLearnedShare(seconds, halfSeconds) {
  return seconds ** 2 / (seconds ** 2 + halfSeconds ** 2);
}
function phaseAt(atMs) {
  const { phase_hours } = stressModel.baseline;
  return Math.floor(atMs / 36e5 / phase_hours % (24 / phase_hours)) * phase_hours;
}
function addRaised(resting, atMs) {
  const { isSkipped, isRaised: isRaised2, seconds, raisedSeconds = 0 } = resting;
  if (atMs <= resting.atMs || isSkipped) return raisedSeconds || void 0;
  const sum = raisedSeconds + (isRaised2 ? seconds : -seconds);
  return round3(Math.min(stressModel.confidence.unlike_seconds, Math.max(0, sum))) || void 0;
}
function settle(resting, atMs) {
  if (atMs <= resting.atMs) return resting;
  const known = settled.get(resting);
  if (known?.atMs === atMs) return known.learned;
  const learned = forget(resting.isSkipped ? resting : withNewest(resting), atMs - resting.atMs);
  settled.set(resting, { atMs, learned });
  return learned;
}
var settled = /* @__PURE__ */ new WeakMap();
function withNewest(resting) {
  const { atMs, bpm, seconds, blockBpm = 0, blockSeconds = 0, seenSeconds = 0, secondsByBpm, phases } = resting;
  const live = resting.isPast || !resting.live ? resting.live : addToLive(resting.live, bpm, seconds);
  const together = round3(blockSeconds + seconds);
  const mean = round3(blockBpm + (bpm - blockBpm) * seconds / together);
  if (together < stressModel.baseline.reading_seconds_max)
    return { blockBpm: mean, blockSeconds: together, seenSeconds, secondsByBpm, phases, live };
  const phase = phaseAt(atMs);
  return {
    seenSeconds: round3(seenSeconds + together),
    secondsByBpm: addTo(secondsByBpm ?? {}, mean, together),
    phases: { ...phases, [phase]: forgetPhase(addTo(phases?.[phase] ?? {}, mean, together)) },
    live
  };
}
function addToLive(live, bpm, seconds) {
  return { seconds: round3(live.seconds + seconds), secondsByBpm: addTo(live.secondsByBpm, bpm, seconds) };
}
function forget(learned, gapMs2) {
  const { reading_seconds_max, capacity_seconds } = stressModel.baseline;
  const { seenSeconds = 0, phases } = learned;
  if (gapMs2 > reading_seconds_max * 1e3) return scale(learned, computeRemainingShare(seenSeconds, gapMs2));
  return seenSeconds > capacity_seconds ? { ...scale(learned, 1 / 2), phases } : learned;
}
function forgetPhase(secondsByBpm) {
  const { capacity_seconds, phase_hours } = stressModel.baseline;
  return addSeconds(secondsByBpm) > capacity_seconds * phase_hours / 24 ? scaleBins(secondsByBpm, 1 / 2) : secondsByBpm;
}
function scale(learned, share) {
  const { blockBpm, blockSeconds, seenSeconds = 0, secondsByBpm = {}, phases = {}, live } = learned;
  if (share === 1 || seenSeconds === 0) return learned;
  const scaled = {};
  for (const phase in phases) scaled[phase] = scaleBins(phases[phase] ?? {}, share);
  return {
    blockBpm,
    blockSeconds,
    seenSeconds: round3(seenSeconds * share),
    secondsByBpm: scaleBins(secondsByBpm, share),
    phases: scaled,
    live
  };
}
function addTo(secondsByBpm, bpm, seconds) {
  const { bin_bpm } = stressModel.baseline;
  const bin = Math.floor(bpm / bin_bpm) * bin_bpm;
  return { ...secondsByBpm, [bin]: round3((secondsByBpm[bin] ?? 0) + seconds) };
}
function addSeconds(secondsByBpm) {
  let total = 0;
  for (const bin in secondsByBpm) total += secondsByBpm[bin] ?? 0;
  return total;
}
function scaleBins(secondsByBpm, share) {
  const scaled = {};
  for (const bin in secondsByBpm) scaled[bin] = round3((secondsByBpm[bin] ?? 0) * share);
  return scaled;
}
function findQuantiles(secondsByBpm, seconds, shares) {
  const { bin_bpm } = stressModel.baseline;
  const left2 = shares.map((share) => seconds * share);
  let [found, highest] = [0, 0];
  for (const bin in secondsByBpm) {
    const inBin = secondsByBpm[bin] ?? 0;
    highest = Number(bin);
    for (let index = found; index < left2.length; index += 1) {
      const remaining = left2[index] ?? 0;
      if (remaining <= inBin) left2[found++] = highest + bin_bpm * remaining / inBin;
      else left2[index] = remaining - inBin;
    }
    if (found === left2.length) return left2;
  }
  return left2.fill(highest + bin_bpm, found);
}

// packages/score/evidence.ts
function listBoundedEvidence({ tone, expression }, agreeing = 0) {
  const bounded = [];
  const add = (name, logOdds, total, isLoad) => {
    if (logOdds > 0) bounded.push({ name, logOdds, total, isLoad });
  };
  add("tone", loadLogOdds(tone?.value), stressModel.load.total_log_odds_max, true);
  add("expression", loadLogOdds(expression?.value), stressModel.load.total_log_odds_max, true);
  const repeated = tone && isStressfulTone(tone.value) ? repetitionLogOdds(tone.value, agreeing) : 0;
  add("tone", repeated, stressModel.repetition.total_log_odds_max, false);
  return bounded;
}
function loadLogOdds(label = "") {
  const logOdds = stressModel.load.log_odds;
  return logOdds[label] ?? 0;
}
function repetitionLogOdds(tone, agreeing) {
  const { tone: single } = stressModel.reliability;
  const together = (1 + agreeing) * single / (1 + agreeing * single);
  return computeLabelLogOdds(stressModel.tone_points[tone], together - single);
}
function countAgreeingTones(before, newest, agreeing = 0) {
  const { rating_seconds, ratings_max } = stressModel.repetition;
  const gapMs2 = before && newest ? newest.atMs - before.atMs : 0;
  if (!before || gapMs2 === 0) return agreeing || void 0;
  if (weighByAge(gapMs2) === 0) return void 0;
  const rating = Math.min(1, gapMs2 / 1e3 / rating_seconds);
  const sum = round3(agreeing + (isStressfulTone(before.value) ? rating : -rating));
  return Math.min(ratings_max - 1, Math.max(0, sum)) || void 0;
}
function isStressfulTone(tone) {
  return stressModel.tone_points[tone] >= stressModel.repetition.from_points;
}
function computeHeartRateEvidence(riseBpm, typical) {
  const { log_odds_per_bpm_below, log_odds_per_bpm_near, cold_log_odds_per_bpm_near } = stressModel.heart_rate;
  const { log_odds_max, stressed_rise_bpm } = stressModel.heart_rate;
  const { raised_from_bpm, log_odds_per_bpm, cold_raised_from_bpm, cold_log_odds_per_bpm, known_exponent } = stressModel.heart_rate;
  const { stressedRiseBpm } = typical;
  const known = typical.known ** known_exponent;
  const from = cold_raised_from_bpm + known * (raised_from_bpm - cold_raised_from_bpm);
  const slope = cold_log_odds_per_bpm + known * (log_odds_per_bpm - cold_log_odds_per_bpm);
  const rise = Math.max(0, riseBpm) * stressed_rise_bpm / stressedRiseBpm;
  const below = log_odds_per_bpm_below * Math.min(0, riseBpm);
  const nearSlope = cold_log_odds_per_bpm_near + known * (log_odds_per_bpm_near - cold_log_odds_per_bpm_near);
  const near = nearSlope * (Math.min(rise, from) - from);
  return saturate(below + near + slope * Math.max(0, rise - from), log_odds_max) - calmEvidence(riseBpm, typical);
}
function calmEvidence(riseBpm, { value, restingBpm, learnedSeconds }) {
  const { calm_log_odds, calm_from_bpm, calm_full_bpm } = stressModel.heart_rate;
  const aboveResting = value + riseBpm - restingBpm;
  const share = Math.min(1, Math.max(0, (calm_from_bpm - aboveResting) / (calm_from_bpm - calm_full_bpm)));
  return calm_log_odds * share * computeLearnedShare(learnedSeconds, stressModel.baseline.typical_weight_seconds);
}
function computeVariabilityDrop({ sdnn, rmssd }, typical, weightOf) {
  const compare = ({ value, atMs }, { value: own, known: known2 }) => ({
    drop: own - Math.log(value),
    weight: weightOf(atMs),
    known: known2
  });
  const measures = [...sdnn ? [compare(sdnn, typical.sdnn)] : [], ...rmssd ? [compare(rmssd, typical.rmssd)] : []];
  const total = measures.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { drop: 0, weight: 0, known: 0 };
  const drop = measures.reduce((sum, measure) => sum + measure.drop * measure.weight, 0) / total;
  const known = measures.reduce((sum, measure) => sum + measure.known * measure.weight, 0) / total;
  return { drop, known, weight: Math.max(...measures.map(({ weight }) => weight)) };
}
function computeVariabilityEvidence(drop, known) {
  const { log_odds_per_ln, log_odds_max, calm_from_ln, calm_log_odds_per_ln, calm_log_odds_max } = stressModel.hrv;
  const calm = saturate(calm_log_odds_per_ln * Math.max(0, -drop - calm_from_ln), calm_log_odds_max);
  return saturate(log_odds_per_ln * drop, log_odds_max) - known * calm;
}
var staleAfterMs = stressModel.age.stale_after_seconds * 1e3;
function isFresh({ atMs: measuredMs }, atMs) {
  return atMs - measuredMs < staleAfterMs;
}
function weighByAge(ageMs) {
  const seconds = Math.max(0, ageMs / 1e3);
  return seconds >= stressModel.age.stale_after_seconds ? 0 : 2 ** (-seconds / stressModel.age.half_life_seconds);
}
function rateFreshness(weight) {
  return Math.min(1, weight * 2 ** (stressModel.age.fresh_seconds / stressModel.age.half_life_seconds));
}
function saturate(logOdds, max) {
  return max * Math.tanh(logOdds / max);
}
function computeLabelLogOdds(points, reliability) {
  return stressModel.label_log_odds * reliability * (points - stressModel.label_neutral_points) / stressModel.label_span_points;
}

// packages/score/signals.ts
var neutralWords = 0.05;
var scoredSignals = {
  heart_rate: { evidence: "heart_rate", compare: higherFirst },
  sdnn: { evidence: "hrv", compare: lowerFirst, isPerDevice: true },
  rmssd: { evidence: "hrv", compare: lowerFirst, isPerDevice: true },
  tone: {
    evidence: "tone",
    compare: byPoints(stressModel.tone_points),
    weigh: (tone) => computeLabelLogOdds(stressModel.tone_points[tone], stressModel.reliability.tone),
    describe: (tone) => `${tone} voice`
  },
  expression: {
    evidence: "expression",
    compare: byPoints(stressModel.expression_points),
    weigh: (expression) => computeLabelLogOdds(stressModel.expression_points[expression], stressModel.reliability.expression),
    describe: (expression) => `${expression} face`
  },
  sentiment: {
    evidence: "sentiment",
    compare: lowerFirst,
    // Text with a sentiment near 0 is weak evidence.
    weigh: (sentiment) => -stressModel.label_log_odds * stressModel.reliability.sentiment * Math.sign(sentiment) * Math.abs(sentiment) ** stressModel.sentiment_exponent,
    describe: (sentiment) => {
      const strength = Math.abs(sentiment) >= stressModel.reason.sentiment_strong ? "strongly " : "";
      return Math.abs(sentiment) <= neutralWords ? "neutral words" : `${strength}${sentiment < 0 ? "negative" : "positive"} words`;
    }
  },
  urgency: {
    evidence: "urgency",
    compare: byPoints(stressModel.urgency_log_odds),
    weigh: (urgency) => stressModel.urgency_log_odds[urgency],
    describe: (urgency) => `${urgency} urgency`
  }
};
var labels = scoredSignals;
var rows = scoredSignals;
var signalNames = Object.keys(scoredSignals);
var labelNames = signalNames.filter((name) => "weigh" in scoredSignals[name]);
var evidenceCategories = Object.fromEntries(
  signalNames.map((name) => [scoredSignals[name].evidence, signals2[name].category])
);
var categories = Object.entries(signals2).flatMap(([name, { category }]) => category ? [{ name, category }] : []);
var requiredNames = categories.map(({ name }) => name);
function listCategories(values) {
  const listed = [];
  for (const { name, category } of categories)
    if (values[name] !== void 0 && !listed.includes(category)) listed.push(category);
  return listed;
}
function listTextValues({ derived, sentiment }) {
  return derived?.includes("sentiment") && sentiment !== void 0 ? { sentiment } : void 0;
}
function mergeSignals(signals3, reading) {
  const merged = {};
  for (const name of signalNames) merged[name] = findNewest(name, signals3, reading);
  return merged;
}
function findNewest(name, signals3, reading) {
  const held = signals3[name];
  const { atMs, source_device: device } = reading;
  const value = reading[name];
  const { compare, isPerDevice } = rows[name];
  if (value === void 0 || held && atMs < held.atMs) return held;
  const sample = isPerDevice && device !== void 0 ? { value, atMs, device } : { value, atMs };
  if (!held || atMs > held.atMs) return sample;
  const order = compare(value, held.value) || Number((sample.device ?? "") > (held.device ?? ""));
  return order > 0 ? sample : held;
}
function higherFirst(a, b) {
  return a - b;
}
function lowerFirst(a, b) {
  return b - a;
}
function byPoints(points) {
  const ascending = Object.keys(points).sort((a, b) => points[a] - points[b]);
  const rank = new Map(ascending.map((label, index) => [label, index]));
  return (a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0);
}
function toPoint(reading, score, confidence) {
  const { atMs, subjectId: _, rrQuality: __, unreadText: ___, ...measured } = reading;
  return { timestampMs: atMs, score, confidence, model: modelVersion.number, measured };
}

// packages/score/movement.ts
function addStatedMovement(held, reading) {
  const value = statedRise(reading);
  if (value === 0 && reading.activity_level !== "resting") return held;
  const { stated, movement, implied } = held;
  const { atMs } = reading;
  const statement = chooseNewerStatement(stated, { value, atMs });
  const moved = value > 0 ? chooseStrongerMovement(movement, { value, atMs }) : movement;
  if (statement === stated && moved === movement) return held;
  return { movement: moved, implied, stated: statement };
}
function chooseNewerStatement(held, other) {
  if (!held || !other) return held ?? other;
  return other.atMs > held.atMs || other.atMs === held.atMs && other.value > held.value ? other : held;
}
function explainRise({ movement, implied, stated }, { bpm, fastBpm }, atMs, typical) {
  const rise = Math.max(0, bpm - typical.value);
  const isStated = stated && Math.abs(atMs - stated.atMs) < stressModel.movement.statement_seconds * 1e3;
  const impliedBpm = Math.max(computeExplainedRise(implied, atMs), inferExplainedRise(fastBpm, typical));
  const share = !isStated ? stressModel.movement.implied_share_max : stated.value > 0 ? 1 : 0;
  const statedBpm = Math.max(isStated ? stated.value : 0, computeExplainedRise(movement, atMs));
  return Math.min(rise, Math.max(statedBpm, Math.min(impliedBpm, share * rise)));
}
function statedRise({ activity_level, steps_last_minute }) {
  const rises = stressModel.movement.activity_rise_bpm;
  return Math.max(rises[activity_level ?? "resting"], rises[classifySteps(steps_last_minute ?? 0)]);
}
function classifySteps(steps) {
  const { light_steps, moderate_steps, vigorous_steps } = stressModel.movement;
  if (steps >= vigorous_steps) return "vigorous";
  if (steps >= moderate_steps) return "moderate";
  return steps >= light_steps ? "light" : "resting";
}
function hasMoved({ movement }, fromMs) {
  return movement !== void 0 && fromMs - movement.atMs < stressModel.age.stale_after_seconds * 1e3;
}
function chooseStrongerMovement(held, other) {
  if (!held || !other) return held ?? other;
  const atMs = Math.max(held.atMs, other.atMs);
  return computeExplainedRise(other, atMs) > computeExplainedRise(held, atMs) ? other : held;
}
function inferMovement(bpm, atMs, typical) {
  const value = round3(inferExplainedRise(bpm, typical));
  return value > 0 ? { value, atMs } : void 0;
}
function computeExplainedRise(movement, atMs) {
  if (!movement) return 0;
  const seconds = Math.max(0, atMs - movement.atMs) / 1e3;
  if (seconds >= stressModel.age.stale_after_seconds) return 0;
  return movement.value * 2 ** (-seconds / stressModel.movement.recovery_half_life_seconds);
}
function inferExplainedRise(bpm, typical) {
  const { exertion_from_bpm, explained_bpm_per_bpm } = stressModel.movement;
  const rise = bpm - typical.value;
  const from = exertion_from_bpm + (1 - typical.known) * stressModel.heart_rate.population_sd_bpm;
  return Math.max(0, Math.min(rise, explained_bpm_per_bpm * (rise - from)));
}
function updateDevice(held, reading) {
  const { source_device: name, atMs } = reading;
  if (name === void 0 || !listCategories(reading).includes("cardiovascular")) return held;
  if (!held) return { name, atMs };
  if (atMs < held.atMs) return held;
  if (name === held.name) return { ...held, atMs };
  return { name: atMs === held.atMs && held.name > name ? held.name : name, atMs, changedMs: atMs };
}
function chooseNewerDevice(held, other) {
  if (!held || !other) return held ?? other;
  if (other.atMs !== held.atMs) return other.atMs > held.atMs ? other : held;
  if (other.name !== held.name) return other.name > held.name ? other : held;
  return (other.changedMs ?? 0) > (held.changedMs ?? 0) ? other : held;
}
function reduceAfterDeviceChange(confidence, device, atMs) {
  const { device_change_seconds, device_change_share } = stressModel.confidence;
  if (device?.changedMs === void 0 || atMs - device.changedMs >= device_change_seconds * 1e3) return confidence;
  return confidence === 0 ? 0 : Math.max(0.01, Math.floor(confidence * device_change_share * 100) / 100);
}
function isRaised({ heart, typical }) {
  const { value, stressedRiseBpm } = typical.heart_rate;
  return heart !== void 0 && heart.bpm - value >= stressModel.confidence.unlike_rise_share * stressedRiseBpm;
}
function isPersonal({ known }) {
  return known >= stressModel.baseline.personal_share;
}
function isLikelyAnotherPerson(situation) {
  const { heart_rate } = situation.typical;
  return isPersonal(heart_rate) && heart_rate.raisedSeconds >= stressModel.confidence.unlike_seconds && isRaised(situation);
}
function isRaisedSinceChange({ typical, signals: signals3 }, device) {
  const { changedMs = -Infinity } = device ?? {};
  const seconds = ((signals3.heart_rate?.atMs ?? 0) - changedMs) / 1e3;
  return 2 * typical.heart_rate.raisedSeconds >= seconds;
}

// packages/score/stress.ts
function fuseEvidence(situation, atMs) {
  const drivers = collectDrivers(situation, atMs);
  let expressed = 0;
  for (const it of drivers) if (isExpressed(it.evidence)) expressed += it.logOdds;
  const total = addLogOdds(drivers);
  const { learnedSeconds } = situation.typical.heart_rate;
  const explained = computeExplainedShare(situation);
  const counted = ({ evidence, weight }) => weight * (evidence === "heart_rate" ? 1 - explained : 1);
  return {
    value: toStressValue(total),
    expressed,
    ...describeWords(drivers, situation),
    heart: total - expressed,
    explained,
    newness: 1 - computeLearnedShare(learnedSeconds, stressModel.baseline.new_weight_seconds),
    hasEvidence: drivers.some((it) => counted(it) >= stressModel.confidence.evidence_min),
    drivers: drivers.sort((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds))
  };
}
function toStressValue(evidence) {
  const logOdds = stressModel.neutral_log_odds + evidence * (evidence < 0 ? stressModel.calm_share : 1);
  return stressModel.score_max / (1 + Math.exp(-logOdds));
}
function addToStress(value, more) {
  return more === 0 ? value : toStressValue(toEvidence(value) + more);
}
function toEvidence(value) {
  const evidence = Math.log(value / (stressModel.score_max - value)) - stressModel.neutral_log_odds;
  return evidence / (evidence < 0 ? stressModel.calm_share : 1);
}
function describeWords(drivers, { signals: signals3 }) {
  let [words, saidMs] = [0, -Infinity];
  for (const it of drivers) {
    if (!isWords(it)) continue;
    words += it.logOdds;
    saidMs = Math.max(saidMs, findMeasuredTime(it, signals3));
  }
  let [newer, count] = [0, 0];
  for (const it of drivers) {
    if (isWords(it) || findMeasuredTime(it, signals3) <= saidMs) continue;
    newer += it.logOdds;
    count += 1;
  }
  return { words, isAnswered: count > 0 && newer <= 0 };
}
var isWords = ({ evidence }) => evidenceCategories[evidence] === "textual";
function findMeasuredTime({ evidence }, signals3) {
  if (evidence === "hrv") return Math.max(signals3.sdnn?.atMs ?? 0, signals3.rmssd?.atMs ?? 0);
  return signals3[evidence]?.atMs ?? 0;
}
function isExpressed(evidence) {
  return evidenceCategories[evidence] !== "cardiovascular";
}
function collectDrivers(situation, atMs) {
  const weightOf = (measuredMs) => weighByAge(atMs - measuredMs);
  const expressed = labelNames.flatMap((name) => labelDriver(name, situation, weightOf));
  const bounded = listBoundedEvidence(situation.signals, situation.agreeingTones);
  const loads = expressed.filter((it) => bounded.some(({ name, isLoad }) => isLoad && name === it.evidence));
  const load = loads.reduce((most, { weight }) => Math.max(most, weight), 0);
  return addFall(bounded.reduce(addBounded, [...heartDrivers(situation, load, weightOf), ...expressed]));
}
function addFall(drivers) {
  const { fall_points, fall_score_max } = stressModel.hrv;
  if (!drivers.some(({ fall = 0 }) => fall > 0)) return drivers;
  const total = addLogOdds(drivers);
  const value = toStressValue(total);
  return drivers.map((it) => {
    const raised = Math.min(fall_score_max, value + fall_points * (it.fall ?? 0));
    return raised > value ? { ...it, logOdds: it.logOdds + toEvidence(raised) - total } : it;
  });
}
function heartDrivers({ signals: signals3, typical, heart, explainedBpm }, load, weightOf) {
  const drivers = [];
  if (signals3.heart_rate && heart) {
    const weight2 = weightOf(signals3.heart_rate.atMs);
    const level = load > 0 ? withoutLoad(heart, typical, load) : heart;
    const logOdds2 = weight2 * weighHeart(level, typical, explainedBpm);
    const suddenBpm = decidingRise(level, typical);
    if (weight2 > 0) drivers.push({ evidence: "heart_rate", weight: weight2, logOdds: logOdds2, suddenBpm });
  }
  const { drop, weight, known } = computeVariabilityDrop(signals3, typical, weightOf);
  const room = stressModel.heart_rate.log_odds_with_hrv_max - addLogOdds(drivers);
  const raised = heart ? drivers.reduce((sum, it) => sum + it.weight * (heart.bpm - typical.heart_rate.value), 0) : 0;
  const logOdds = weight * computeVariabilityEvidence(drop, known * restShare(raised));
  const { fall_from_ln, fall_full_ln } = stressModel.hrv;
  const fall = weight * known * Math.min(1, Math.max(0, (drop - fall_from_ln) / (fall_full_ln - fall_from_ln)));
  if (weight > 0) drivers.push({ evidence: "hrv", drop, fall, weight, logOdds: Math.min(room, logOdds) });
  return drivers;
}
function labelDriver(name, { signals: signals3 }, weightOf) {
  const sample = signals3[name];
  const weight = sample ? weightOf(sample.atMs) : 0;
  return sample && weight > 0 ? [{ evidence: name, weight, logOdds: weight * labels[name].weigh(sample.value) }] : [];
}
function addBounded(drivers, { name, logOdds, total }) {
  const room = Math.max(0, total - addLogOdds(drivers));
  const raise = (it) => ({ ...it, logOdds: it.logOdds + Math.min(room, it.weight * logOdds) });
  return drivers.map((it) => it.evidence === name ? raise(it) : it);
}
function withoutLoad(heart, { heart_rate }, load) {
  const explained = Math.min(load * stressModel.load.rise_bpm, Math.max(0, heart.bpm - heart_rate.value));
  return { ...heart, bpm: heart.bpm - explained, suddenBpm: void 0 };
}
function isOfOtherSession({ evidence }, signals3) {
  const samples = evidence === "hrv" ? [signals3.sdnn, signals3.rmssd] : [signals3[evidence]];
  return samples.some((it) => it?.sessionId !== void 0);
}
function addLogOdds(drivers) {
  let total = 0;
  for (const { logOdds } of drivers) total += logOdds;
  return total;
}
function restShare(riseBpm) {
  return Math.min(1, Math.max(0, 1 - riseBpm / stressModel.heart_rate.raised_from_bpm));
}
function levelEvidence(heart, typical) {
  if (decidingRise(heart, typical) !== void 0) return stressModel.sudden_rise.log_odds;
  return computeHeartRateEvidence(heart.bpm - typical.heart_rate.value, typical.heart_rate);
}
function decidingRise({ bpm, suddenBpm }, { heart_rate }) {
  if (suddenBpm === void 0) return void 0;
  return computeHeartRateEvidence(bpm - heart_rate.value, heart_rate) < stressModel.sudden_rise.log_odds ? suddenBpm : void 0;
}
function weighHeart(heart, typical, explainedBpm) {
  const logOdds = levelEvidence(heart, typical);
  if (logOdds > 0) return logOdds * (1 - computeExplainedShare({ heart, typical, explainedBpm }));
  return logOdds * (heart.isConfirmed ? 1 : stressModel.confidence.unconfirmed_share);
}
function computeExplainedShare({ heart, typical, explainedBpm }) {
  const rise = (heart?.bpm ?? 0) - typical.heart_rate.value;
  return rise > 0 ? Math.min(1, explainedBpm / rise) : 0;
}
function isExertion(situation) {
  return computeExplainedShare(situation) > stressModel.movement.learned_share_max;
}

// packages/score/states.ts
function findBand(score) {
  return bands.find(({ max_score }) => score <= max_score) ?? bands[4];
}
function publishScore(fused, held, atMs, firstAtMs = atMs) {
  const score = Math.round(fused.value);
  const lasting = lastingEvidence(fused, held, atMs);
  const expressed = round3(lasting) || void 0;
  const words = round3(fused.words ?? 0) || void 0;
  if (!held) return { score, hold: { expressed, words } };
  const band = findBand(held.score);
  const dwell = integrateDwell(fused, addToStress(fused.value, lasting - fused.expressed), held, atMs);
  const isAway = findBand(score) !== band;
  if (isAway && (isImmediate(fused, score, held, atMs) || hasDwelt(dwell, score, held, { atMs, firstAtMs })))
    return { score, hold: { bandSinceMs: atMs, scoreBefore: held.score, expressed, words } };
  const heldScore = Math.min(Math.max(score, band.min_score), band.max_score);
  return { score: heldScore, hold: { dwell: dwell || void 0, expressed, words } };
}
function computePublishedBefore({ score, hold }, held, atMs) {
  const { bandSinceMs, scoreBefore } = hold.bandSinceMs === void 0 && held ? held : hold;
  const { dwell, expressed, words } = hold;
  return { score, atMs, bandSinceMs, scoreBefore, dwell, expressed, words };
}
function lastingEvidence(fused, held, atMs) {
  const { expressed, words = 0, isAnswered } = fused;
  if (!held) return expressed;
  const left2 = 2 ** (-(atMs - held.atMs) / 1e3 / stateHold.fade_half_life_seconds);
  const [before, now] = isAnswered ? [held.words ?? 0, words] : [0, 0];
  return expressed + left2 * Math.max(0, (held.expressed ?? 0) - before - (expressed - now));
}
function isImmediate({ expressed }, score, held, atMs) {
  const { rise_seconds, dwell_seconds, immediate_log_odds, silence_seconds } = stateHold;
  if (atMs - held.atMs >= silence_seconds * 1e3) return true;
  if (bandsApart(held.score, score) < 0) return false;
  const bandMs = atMs - (held.bandSinceMs ?? -Infinity);
  const from = bandMs < rise_seconds * 1e3 ? Math.min(held.score, held.scoreBefore ?? held.score) : held.score;
  if (bandsApart(from, score) > 1) return true;
  if (bandMs < dwell_seconds * 1e3) return false;
  if (expressed - (held.expressed ?? 0) >= immediate_log_odds) return true;
  return expressed > 0 && bandsApart(score, Math.round(toStressValue(expressed))) >= 0;
}
function hasDwelt(dwell, score, held, { atMs, firstAtMs }) {
  const { dwell_point_seconds, dwell_seconds, settle_seconds } = stateHold;
  const share = Math.min(1, (atMs - firstAtMs) / 1e3 / settle_seconds);
  if (Math.sign(score - held.score) * dwell < share * dwell_point_seconds) return false;
  return held.bandSinceMs === void 0 || atMs - held.bandSinceMs >= dwell_seconds * 1e3;
}
function integrateDwell({ value, newness = 0 }, lasting, held, atMs) {
  const { dwell = 0, score } = held;
  const { min_score, max_score } = findBand(score);
  const seconds = (atMs - held.atMs) / 1e3;
  const { margin_points, fall_margin_points, sparse_dwell_factor } = stateHold;
  const sparse = rateSparseness(seconds) * newness;
  const rise = (value - max_score - 1 - (1 - sparse) * margin_points) * seconds * (1 + (sparse_dwell_factor - 1) * sparse);
  const above = Math.max(0, Math.max(0, dwell) + rise);
  const below = Math.max(0, Math.max(0, -dwell) + (min_score - lasting - fall_margin_points) * seconds);
  return round3(above > 0 ? above : -below);
}
function rateSparseness(seconds) {
  const { sparse_from_seconds, sparse_seconds } = stateHold;
  return Math.min(1, Math.max(0, (seconds - sparse_from_seconds) / (sparse_seconds - sparse_from_seconds)));
}
function isSameState(held, score, atMs) {
  return findBand(held.score) === findBand(score) && atMs - held.atMs < staleAfterMs;
}
function bandsApart(from, to) {
  return bands.indexOf(findBand(to)) - bands.indexOf(findBand(from));
}
function computePoints({ drivers, value }, signals3, score) {
  const perLogOdds = computeSlope(addLogOdds(drivers), value);
  const exact = { neutral: toStressValue(0) };
  for (const driver of drivers) {
    const name = isOfOtherSession(driver, signals3) ? "other_session" : evidenceCategories[driver.evidence];
    exact[name] = (exact[name] ?? 0) + perLogOdds * driver.logOdds;
  }
  const computed = Math.round(value);
  const { neutral: _, ...points } = roundToSum(exact, computed);
  return score === computed ? points : { ...points, held: score - computed };
}
function computeSlope(total, value) {
  const start = toStressValue(0);
  const share = start / stressModel.score_max;
  return Math.abs(total) < 1e-9 ? start * (1 - share) : (value - start) / total;
}
function roundToSum(exact, sum) {
  const rounded = {};
  const rests = {};
  let left2 = sum;
  for (const name in exact) {
    const points = exact[name] ?? 0;
    const whole = rounded[name] = Math.floor(points);
    rests[name] = points - whole;
    left2 -= whole;
  }
  for (; left2 > 0; left2 -= 1) {
    const raised = findLargest(rests);
    rounded[raised] = (rounded[raised] ?? 0) + 1;
    rests[raised] = -1;
  }
  return rounded;
}
function findLargest(numbers) {
  let [largest, most] = ["", -Infinity];
  for (const name in numbers) if ((numbers[name] ?? 0) > most) [largest, most] = [name, numbers[name] ?? 0];
  return largest;
}
function findChange(sessionId, before, after) {
  if (!before || before.latest.isPrior || after.latest.confidence === 0) return void 0;
  const [previous, next] = [findBand(before.latest.score).state, findBand(after.latest.score).state];
  if (previous === next) return void 0;
  return {
    event: "state_change",
    session_id: sessionId,
    previous_state: previous,
    new_state: next,
    stress_score: after.latest.score,
    timestamp: new Date(after.latest.timestampMs).toISOString()
  };
}
function computeNextSeq(session, nowMs) {
  return Math.max((session?.eventSeq ?? 0) + 1, nowMs);
}

// packages/score/reason.ts
function explainScore({ drivers, value, hasEvidence }, situation, published, { unread, device } = {}) {
  if (!hasEvidence) return explainNoEvidence(unread, situation);
  const [computed, band] = [findBand(Math.round(value)), findBand(published)];
  const note = drivers.some(({ evidence: evidence2 }) => evidence2 === "heart_rate") ? heartNote(situation, device) : "";
  if (computed === band)
    return sentence(describeEvidence(drivers, situation, band.suggested_action === "maintain_engagement") + note);
  const until = computed.min_score > band.min_score ? "the rise lasts" : "the calmer signals last";
  const evidence = describeEvidence(drivers, situation, false) + note;
  return sentence(`the state is held at ${band.state.replace("_", " ")} until ${until}: ${evidence}`);
}
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
var unreadTexts = {
  language: "the message is not in English",
  words: "the message has no word that the service knows"
};
function explainNoEvidence(unread, situation) {
  const moved = situation && describeMovement(situation);
  const none = moved ? `only ${moved}` : `none of the last ${stressModel.age.stale_after_seconds / 60} minutes counts`;
  return `No usable signal: ${unread ? unreadTexts[unread] : none}.`;
}
function describeEvidence(drivers, situation, isEasy) {
  const isRaised2 = drivers.reduce((sum, { logOdds }) => sum + logOdds, 0) > 0;
  const agreeing = drivers.filter(({ logOdds }) => logOdds > 0 === isRaised2);
  const opposing = drivers.filter(({ logOdds }) => logOdds > 0 !== isRaised2);
  const enough = Math.max(
    stressModel.reason.driver_log_odds_min,
    stressModel.reason.driver_share_min * Math.abs(agreeing[0]?.logOdds ?? 0)
  );
  const notable = (group) => group.filter(({ logOdds }) => Math.abs(logOdds) >= enough);
  const list = (group) => group.slice(0, stressModel.reason.drivers_max).map((driver) => describeDriver(driver, situation)).join(", ");
  const [reasons, objections] = [list(notable(agreeing)), list(notable(opposing))];
  if (reasons === "") return `${isEasy ? "nothing stands out: " : ""}${list(drivers)}`;
  return objections === "" ? reasons : `${reasons}, despite ${objections}`;
}
var quietMinutes = `the mean of the last ${stressModel.sudden_rise.quiet_seconds / 60} quiet minutes`;
var another = "(another session)";
function describeDriver(driver, situation) {
  const text = describeEvidenceOf(driver, situation);
  return isOfOtherSession(driver, situation.signals) ? `${text} ${another}` : text;
}
function describeEvidenceOf({ evidence, drop = 0, suddenBpm }, { heart, typical, signals: signals3 }) {
  if (evidence === "hrv") return `heart rate variability ${beside(Math.expm1(-drop) * 100, "%", "a typical value")}`;
  if (evidence !== "heart_rate") return describeLabel(evidence, signals3);
  if (suddenBpm !== void 0) return `heart rate ${beside(suddenBpm, "bpm", quietMinutes)}`;
  return `heart rate ${besideRest((heart?.bpm ?? 0) - typical.heart_rate.value, typical.heart_rate)}`;
}
function describeLabel(name, signals3) {
  const sample = signals3[name];
  return sample ? labels[name].describe(sample.value) : "";
}
function heartNote(situation, device) {
  const { heart, signals: signals3 } = situation;
  if (heart?.isConfirmed === false)
    return `, with an unconfirmed heart rate of ${Math.round(signals3.heart_rate?.value ?? 0)} bpm`;
  if (isLikelyAnotherPerson(situation) && isRaisedSinceChange(situation, device))
    return ", for so long that the readings no longer look like those of this person";
  const moved = describeMovement(situation);
  return moved ? `, with ${moved}` : "";
}
function describeMovement(situation) {
  const { heart, typical } = situation;
  if (!heart || computeExplainedShare(situation) < stressModel.reason.movement_share_min) return void 0;
  const rise = Math.round(heart.bpm - typical.heart_rate.value);
  const isLearned = !isExertion(situation);
  const explained = isLearned ? "which movement partly explains" : "which movement explains";
  const why = rise > stressModel.movement.exertion_from_bpm ? "higher than stress explains" : explained;
  return `a heart rate ${rise} bpm above rest, ${why}${isLearned ? "" : ", so the baseline is not updated"}`;
}
function besideRest(difference, { known }) {
  if (isPersonal({ known })) return beside(difference, "bpm", "this person's typical heart rate");
  return beside(
    difference,
    "bpm",
    known === 0 ? "a typical resting heart rate" : "the typical heart rate estimated so far"
  );
}
function beside(difference, unit, what) {
  const rounded = Math.round(difference);
  return rounded === 0 ? `at ${what}` : `${Math.abs(rounded)} ${unit} ${rounded < 0 ? "below" : "above"} ${what}`;
}

// packages/score/attribution.ts
function creditTopics(before, {
  atMs,
  heartRate,
  fused
}, { topics: topics2, certainTopics, calmTopics }, score) {
  const said = { topics: topics2, certain: certainTopics };
  const toCalm = (stress) => calmTopics.length > 0 ? { topics: calmTopics, certain: [], atMs, stress } : void 0;
  if (fused && !(before && atMs < before.atMs)) {
    const attributed = attributeStress(before, { atMs, heartRate, fused }, said);
    return { ...attributed, calm: toCalm(computeStressAtTurn(attributed.talk, fused)) };
  }
  const credit = topics2.length > 0 ? { ...said, atMs, stress: score } : void 0;
  return { talk: before, credit, calm: toCalm(score) };
}
function attributeStress(before, observed, said) {
  const { atMs, fused } = observed;
  const hasTopics = said !== void 0 && said.topics.length > 0;
  if (!before && !hasTopics) return { talk: void 0, credit: void 0 };
  const talk = followHeart(before ?? { turns: [], atMs }, observed);
  if (hasTopics) {
    const turn = { ...said, atMs, expressed: fused.expressed, stress: computeStressAtTurn(talk, fused) };
    return { talk: { ...talk, turns: [...talk.turns.slice(-1), turn] }, credit: turn };
  }
  return isOld(talk) ? { talk: void 0, credit: void 0 } : creditRise(talk, fused);
}
function computeStressAtTurn(talk, fused) {
  const heart = talk?.rise ? Math.min(fused.heart, talk.lowEvidence ?? 0) : fused.heart;
  return computeStress(fused.expressed, heart);
}
function followHeart(talk, observed) {
  const { atMs, heartRate, fused } = observed;
  if (heartRate === void 0) return { ...talk, atMs };
  const seconds = (atMs - talk.atMs) / 1e3;
  const share = 1 - Math.exp(-Math.max(1, seconds) / heartRise.smoothing_seconds);
  const bpm = round3(talk.bpm === void 0 ? heartRate : talk.bpm + share * (heartRate - talk.bpm));
  const next = { ...talk, atMs, bpm };
  const { rise } = talk;
  if (rise && !rise.isOver) return { ...next, ...followRise(rise, talk, bpm, atMs) };
  const { lowBpm = bpm } = talk;
  if (bpm - lowBpm >= heartRise.rise_bpm) {
    const turnMs = turnBefore(talk, atMs - heartRise.delay_seconds * 1e3)?.atMs ?? 0;
    return { ...next, rise: { turnMs, sinceMs: atMs, fromBpm: lowBpm, peakBpm: bpm } };
  }
  const isBack = !rise || isPast(rise, talk.lowEvidence, observed);
  const followed = lowBpm + (bpm - lowBpm) * (1 - Math.exp(-seconds / heartRise.low_seconds));
  const isLower = bpm <= lowBpm;
  return {
    ...next,
    lowBpm: isLower ? bpm : round3(followed),
    lowEvidence: isBack && (isLower || talk.lowEvidence === void 0) ? round3(fused.heart) : talk.lowEvidence,
    rise: isBack ? void 0 : rise
  };
}
function followRise(rise, { turns }, bpm, atMs) {
  const { climb_seconds, rise_bpm, delay_seconds } = heartRise;
  const peakBpm = Math.max(rise.peakBpm, bpm);
  const next = turns.find((it) => it.atMs > rise.turnMs);
  const isHere = next !== void 0 && atMs - next.atMs >= delay_seconds * 1e3;
  const atTurnBpm = next && (rise.atTurnBpm ?? bpm);
  const after = bpm - (atTurnBpm ?? bpm);
  if (isHere && after >= rise_bpm && after > bpm - after - rise.fromBpm)
    return { rise: { turnMs: next.atMs, sinceMs: atMs, fromBpm: bpm - after, peakBpm }, lowBpm: bpm - after };
  const isClimbing = atMs - rise.sinceMs <= climb_seconds * 1e3 && bpm > (rise.fromBpm + peakBpm) / 2;
  if (isClimbing) return { rise: { ...rise, peakBpm, atTurnBpm }, lowBpm: rise.fromBpm };
  return { rise: { ...rise, peakBpm, isOver: true }, lowBpm: bpm };
}
function isPast({ sinceMs }, lowEvidence, { atMs, fused }) {
  const { climb_seconds, back_log_odds } = heartRise;
  return atMs - sinceMs > 2 * climb_seconds * 1e3 && fused.heart <= (lowEvidence ?? 0) + back_log_odds;
}
function creditRise(talk, fused) {
  const turn = talk.turns.find(({ atMs }) => atMs === talk.rise?.turnMs);
  if (!turn || turn.isMeasured || talk.atMs - turn.atMs > heartRise.window_seconds * 1e3)
    return { talk, credit: void 0 };
  const stress = computeStress(turn.expressed, Math.max(fused.heart, riseEvidence(talk, fused)));
  if (stress <= turn.stress) return { talk, credit: void 0 };
  const raised = { ...turn, stress };
  const turns = talk.turns.map((it) => it === turn ? raised : it);
  return { talk: { ...talk, turns }, credit: { ...raised, before: turn.stress } };
}
function riseEvidence({ bpm = 0, rise }, { explained }) {
  if (!rise) return 0;
  const { log_odds_per_bpm, log_odds_max, from_bpm } = heartRise;
  return (1 - explained) * Math.min(log_odds_max, log_odds_per_bpm * Math.max(0, bpm - rise.fromBpm - from_bpm));
}
function closeTurns(talk, finished) {
  const isClosed = (turn) => finished.some((it) => it.isMeasured && it.atMs === turn.atMs);
  if (!talk?.turns.some(isClosed)) return talk;
  return { ...talk, turns: talk.turns.map((it) => isClosed(it) ? { ...it, isMeasured: true } : it) };
}
var isOld = ({ atMs, turns, rise }) => rise === void 0 && atMs - (turns.at(-1)?.atMs ?? 0) > heartRise.window_seconds * 1e3;
function turnBefore({ turns }, untilMs) {
  return turns.findLast(({ atMs }) => atMs <= untilMs) ?? turns[0];
}
function computeStress(expressed, heart) {
  return Math.round(toStressValue(expressed + heart));
}

// packages/text/vocabulary.ts
var areas = Object.keys(topics);
var topicNames = areas.flatMap((area) => topics[area]);
var areaOfTopic = new Map(
  areas.flatMap((area) => topics[area].map((topic) => [topic, area]))
);

// packages/text/model.ts
var classTotal = areas.length + 1;
var ROW_LENGTH = 1 + classTotal;

// packages/text/gather.ts
function gatherTopics(kept, { model, concern, user, assistant }) {
  const evidence = decayEvidence(kept, model);
  const named = (list) => list.flatMap((number) => topicNames[number] ?? []);
  if (concern < topicExtraction.concern_log_odds_min) {
    const calm = nameTopics(user, evidence).filter((number) => user.firstPerson.includes(number));
    return { topics: [], certainTopics: [], calmTopics: named(calm), evidence: storeEvidence(evidence, model) };
  }
  const context = addTextEvidence(evidence, topicExtraction.assistant_weight, findHighestShares(assistant), assistant.points);
  const own = findHighestShares(user);
  const numbers = Math.max(...own) < topicExtraction.own_share_min ? [] : nameTopics(user, context);
  return {
    topics: named(numbers),
    certainTopics: named(numbers.filter((number) => user.firstPerson.includes(number))),
    calmTopics: [],
    evidence: storeEvidence(addTextEvidence(context, 1, own, user.points), model)
  };
}
function nameTopics(user, context) {
  const points = new Map(user.points);
  const shares = findHighestShares(user, toLeanings(context));
  const shareOf = (area) => shares[area] ?? 0;
  const likeliest = shares.indexOf(Math.max(...shares));
  const first = isOnlyMentioned(likeliest, points) && namesFeeling(user, shares) ? feelings : likeliest;
  if (shareOf(first) < shareMin(first, points, context)) return [];
  const main = bestTopic(first, points, context) ?? topicOfContext(first, context) ?? topicsOf[first]?.[0] ?? 0;
  const others = areaNumbers.filter((area) => area !== first && shareOf(area) >= topicExtraction.further_area_share_min);
  others.sort((a, b) => shareOf(b) - shareOf(a));
  const named = others.flatMap((area) => bestTopic(area, points, context) ?? []);
  return [main, ...named].slice(0, topicExtraction.topics_per_turn_max);
}
var feelings = areas.indexOf("emotional_wellbeing");
var people = /* @__PURE__ */ new Set([areas.indexOf("family"), areas.indexOf("relationships")]);
var isOnlyMentioned = (area, points) => people.has(area) && !isNamed(area, points);
var namesFeeling = ({ firstPerson }, shares) => firstPerson.some((topic) => topicsOf[feelings]?.includes(topic)) && (shares[feelings] ?? 0) >= topicExtraction.further_area_share_min;
var isNamed = (area, points) => (topicsOf[area] ?? []).some((topic) => (points.get(topic) ?? 0) >= topicExtraction.named_points_min);
function shareMin(area, points, context) {
  const isContinued = (context.areas[area] ?? 0) >= topicExtraction.session_area_turns_min;
  return isNamed(area, points) || isContinued ? topicExtraction.named_area_share_min : topicExtraction.area_share_min;
}
function bestTopic(area, points, context) {
  if (points.size === 0) return void 0;
  return findMost(area, (topic) => {
    const own = points.get(topic) ?? 0;
    return own > 0 ? own + topicExtraction.context_points_weight * Math.min(1, context.topics.get(topic) ?? 0) : 0;
  });
}
var topicOfContext = (area, context) => findMost(area, (topic) => {
  const points = context.topics.get(topic) ?? 0;
  return points >= topicExtraction.context_points_min ? points : 0;
});
var areaNumbers = areas.map((_, area) => area);
var topicsOf = areas.map((area) => topics[area].map((topic) => topicNames.indexOf(topic)));
function findMost(area, valueOf) {
  let best;
  let most = 0;
  for (const topic of topicsOf[area] ?? []) {
    const value = valueOf(topic);
    if (value > most) [best, most] = [topic, value];
  }
  return best;
}
var PRECISION = 100;
var WEIGHT_MAX = 9;
var numberOfTopic = new Map(topicNames.map((name, number) => [name, number]));
var keptPerTurn = 0.5 ** (1 / topicExtraction.evidence_half_life_turns);
function decayEvidence(kept, model) {
  const topics2 = /* @__PURE__ */ new Map();
  if (kept?.model !== model) return { areas: areas.map(() => 0), topics: topics2 };
  const named = kept.topics ?? {};
  for (const name of Object.keys(named)) {
    const number = numberOfTopic.get(name);
    if (number !== void 0) topics2.set(number, keptPerTurn * bound(named[name]));
  }
  return { areas: areas.map((area) => keptPerTurn * bound(kept.areas?.[area])), topics: topics2 };
}
function storeEvidence({ areas: turns, topics: topics2 }, model) {
  const storedAreas = {};
  const storedTopics = {};
  for (const [k, area] of areas.entries()) addRounded(storedAreas, area, turns[k] ?? 0);
  for (const [number, points] of topics2) addRounded(storedTopics, topicNames[number] ?? "", points);
  return { model, areas: storedAreas, topics: storedTopics };
}
function addRounded(stored, name, value) {
  const rounded = Math.floor(bound(value) * PRECISION) / PRECISION;
  if (rounded > 0) stored[name] = rounded;
}
var evenShare = 1 / (areas.length + 1);
function addTextEvidence({ areas: areas2, topics: topics2 }, weight, shares, points) {
  const sums = new Map(topics2);
  for (const [number, more] of points) sums.set(number, (topics2.get(number) ?? 0) + weight * more);
  return { areas: areas2.map((sum, k) => sum + weight * Math.max(0, (shares[k] ?? 0) - evenShare)), topics: sums };
}
var toLeanings = ({ areas: areas2 }) => areas2.map((turns) => 1 + turns / topicExtraction.evidence_doubling_turns);
var bound = (value) => typeof value === "number" && value > 0 ? Math.min(WEIGHT_MAX, value) : 0;
var noLeanings = areas.map(() => 1);
function findHighestShares({ odds }, leanings = noLeanings) {
  const best = leanings.map(() => 0);
  for (let from = 0; from < odds.length; from += classTotal) {
    let sum = odds[from + best.length] ?? 0;
    for (let k = 0; k < best.length; k++) sum += (odds[from + k] ?? 0) * (leanings[k] ?? 1);
    for (let k = 0; k < best.length; k++)
      best[k] = Math.max(best[k] ?? 0, (odds[from + k] ?? 0) * (leanings[k] ?? 1) / sum);
  }
  return best;
}

// packages/score/baseline.ts
var { sdnn_population_ln_ms, rmssd_population_ln_ms } = stressModel.hrv;
function computeTypicalValues(baseline, atMs, measured = {}, isPast2 = false) {
  const { heart_rate, sdnn, rmssd } = measured;
  const own = findVariability(baseline, sdnn?.device);
  const ownRmssd = rmssd?.device === sdnn?.device ? own.rmssd : findVariability(baseline, rmssd?.device).rmssd;
  return {
    heart_rate: computeTypicalHeartRate(baseline?.heart_rate, heart_rate?.atMs ?? atMs, isPast2),
    sdnn: readMean(own.sdnn, sdnn?.atMs ?? atMs, sdnn_population_ln_ms),
    rmssd: readMean(ownRmssd, rmssd?.atMs ?? atMs, rmssd_population_ln_ms)
  };
}
function computeProgress({ learnedSeconds }) {
  return Math.floor(Math.min(1, learnedSeconds / stressModel.baseline.typical_weight_seconds) * 100) / 100;
}
function updateBaseline(baseline, lesson) {
  const held = baseline ?? {};
  const { sdnn, rmssd, devices } = learnVariability(held, lesson);
  const device = chooseNewerDevice(held.device, lesson.device);
  return { heart_rate: learnHeartRate(held.heart_rate, lesson), sdnn, rmssd, devices, device };
}
function learnHeartRate(resting, { atMs, heart_rate: bpm, isSkipped = false, isRaised: isRaised2 }, isPast2) {
  return bpm === void 0 ? resting : addSmoothedRate(resting, { atMs, bpm, isSkipped, isRaised: isRaised2, ...isPast2 && { isPast: isPast2 } });
}
function backfillBaseline(baseline, lesson, durations) {
  const held = baseline ?? {};
  const { atMs, heart_rate: bpm, isSkipped = false } = lesson;
  const isPast2 = held.heart_rate && bpm !== void 0 && atMs < held.heart_rate.atMs;
  const heart_rate = isPast2 ? addPastRate(held.heart_rate, { atMs, bpm, isSkipped }, durations.heart_rate) : learnHeartRate(held.heart_rate, lesson, held.heart_rate?.atMs === atMs ? held.heart_rate.isPast : true);
  const { sdnn, rmssd, devices } = learnVariability(held, lesson, durations);
  return { heart_rate, sdnn, rmssd, devices, device: held.device };
}
function findVariability(known, device) {
  return (device === void 0 ? known : known?.devices?.find((it) => it.device === device)) ?? {};
}
function learnVariability(known, lesson, durations) {
  const own = learnValues(findVariability(known, lesson.source_device), lesson, durations);
  const { source_device: device } = lesson;
  if (device === void 0) return { ...own, devices: known.devices?.map((it) => alignValues(it, lesson)) };
  const { sdnn, rmssd } = alignValues(known, lesson);
  const others = known.devices?.filter((it) => it.device !== device).map((it) => alignValues(it, lesson)) ?? [];
  if (!own.sdnn && !own.rmssd) return { sdnn, rmssd, devices: known.devices && others };
  const devices = [{ device, ...own }, ...others].sort(byRecency).slice(0, stressModel.baseline.devices_max);
  return { sdnn, rmssd, devices };
}
function learnValues(own, lesson, durations) {
  return {
    sdnn: learnValue(own.sdnn, lesson, lesson.sdnn, durations?.sdnn),
    rmssd: learnValue(own.rmssd, lesson, lesson.rmssd, durations?.rmssd)
  };
}
function learnValue(track, lesson, ms, seconds) {
  if (ms === void 0) return align(track, lesson);
  const { atMs, isSkipped = false } = lesson;
  const measured = { atMs, value: Math.log(ms), isSkipped };
  const isPast2 = seconds !== void 0 && track !== void 0 && atMs < track.atMs;
  return isPast2 ? addLateValue(track, measured, seconds) : addValue(track, measured);
}
function alignValues(held, lesson) {
  const [sdnn, rmssd] = [align(held.sdnn, lesson), align(held.rmssd, lesson)];
  return sdnn === held.sdnn && rmssd === held.rmssd ? held : { ...held, sdnn, rmssd };
}
function align(track, { atMs, isSkipped }) {
  const flag = isSkipped || void 0;
  return track?.atMs === atMs && track.isSkipped !== flag ? { ...track, isSkipped: flag } : track;
}
function byRecency(a, b) {
  return findNewestValueTime(b) - findNewestValueTime(a) || (a.device < b.device ? -1 : 1);
}
function findNewestValueTime({ sdnn, rmssd }) {
  return Math.max(sdnn?.atMs ?? 0, rmssd?.atMs ?? 0);
}

// packages/score/confidence.ts
var { min_score: edge } = bands[2];
function rateConfidence({ drivers, hasEvidence }, situation, published) {
  if (!hasEvidence) return 0;
  const newest = Math.max(...drivers.map(({ weight }) => weight));
  const asOfNewest = drivers.map(({ evidence, weight, logOdds }) => {
    return { evidence, weight: weight / newest, logOdds: logOdds / newest };
  });
  const { max, movement_share, contradiction_share } = stressModel.confidence;
  const isRaised2 = published >= edge;
  const heart = asOfNewest.find(({ evidence }) => evidence === "heart_rate");
  const moved = movement_share * (heart?.weight ?? 0) * computeExplainedShare(situation);
  const contradicted = contradiction_share * rateContradiction(asOfNewest);
  const rated = rateDistance(toStressValue(addLogOdds(asOfNewest)), isRaised2) * rateSupport(asOfNewest, situation, isRaised2);
  return Math.max(0.01, Math.round(max * rateFreshness(newest) * rated * (1 - moved) * (1 - contradicted) * 100) / 100);
}
function rateDistance(value, isRaised2) {
  const { edge_share, calm_points, raised_points, raised_exponent } = stressModel.confidence;
  const distance = isRaised2 ? (value - edge) / raised_points : (edge - value) / calm_points;
  const share = Math.min(1, Math.max(0, distance)) ** (isRaised2 ? raised_exponent : 1);
  return edge_share + (1 - edge_share) * share;
}
function rateSupport(drivers, situation, isRaised2) {
  const { edge_log_odds, opposing_share } = stressModel.confidence;
  let doubts = 1;
  for (const category of signalCategories) {
    let [sum, most] = [0, 0];
    for (const { evidence, weight, logOdds } of drivers) {
      if (evidenceCategories[evidence] !== category) continue;
      sum += logOdds;
      most = Math.max(most, weight * rateReliability(evidence, situation, isRaised2));
    }
    const share = (isRaised2 ? sum > 0 : sum <= edge_log_odds) ? 1 : opposing_share;
    doubts *= 1 - share * most;
  }
  return 1 - doubts;
}
function rateReliability(evidence, situation, isRaised2) {
  const { hrv, unconfirmed_share } = stressModel.confidence;
  if (evidence === "hrv") return hrv;
  if (evidence !== "heart_rate") return stressModel.reliability[evidence];
  const confirmed = situation.heart?.isConfirmed ? 1 : unconfirmed_share;
  return rateHeart(situation, isRaised2) * (1 - computeExplainedShare(situation)) * confirmed;
}
function rateHeart(situation, isRaised2) {
  const { heart_calm, heart_calm_cold, heart_raised, heart_raised_cold, raised_half_seconds } = stressModel.confidence;
  const { known, learnedSeconds } = situation.typical.heart_rate;
  if (isLikelyAnotherPerson(situation)) return stressModel.confidence.unlike_share * heart_raised_cold;
  if (!isRaised2) return heart_calm_cold + known * (heart_calm - heart_calm_cold);
  const share = learnedSeconds / (learnedSeconds + raised_half_seconds);
  return heart_raised_cold + share * (heart_raised - heart_raised_cold);
}
function rateContradiction(drivers) {
  const sumOf = (sign) => drivers.reduce((sum, { logOdds }) => sum + Math.max(0, sign * logOdds), 0);
  return Math.min(1, Math.min(sumOf(1), sumOf(-1)) / stressModel.confidence.contradiction_log_odds);
}

// packages/score/live.ts
var noLiveSignals = { signals: {} };
function addOtherSessions(own, sharing, atMs) {
  if (!sharing.isRead || !sharing.live) return own;
  const { live } = sharing;
  const newer = signalNames.filter((name) => {
    const shared = live.signals[name];
    return shared && isFresh(shared, atMs) && shared.atMs > (own[name]?.atMs ?? -Infinity);
  });
  if (newer.length === 0) return own;
  return { ...own, ...Object.fromEntries(newer.map((name) => [name, live.signals[name]])) };
}
function addOtherMovements(own, sharing) {
  if (!sharing.isRead || !sharing.live) return own;
  const { movement, stated } = sharing.live;
  const isOther = (shared) => shared && shared.sessionId !== sharing.sessionId;
  const stronger = isOther(movement) ? chooseStrongerMovement(own.movement, movement) : own.movement;
  const newer = isOther(stated) ? chooseNewerStatement(own.stated, stated) : own.stated;
  if (stronger === own.movement && newer === own.stated) return own;
  return { movement: stronger, implied: own.implied, stated: newer };
}
function chooseHeart({ heart: ownHeart, explainedBpm: ownExplainedBpm }, { heart_rate: newest }, { heart, implied }, movements, typical) {
  if (newest?.sessionId === void 0 || !heart) return { heart: ownHeart, explainedBpm: ownExplainedBpm };
  const level = { ...heart, isConfirmed: true };
  const explainedBpm = explainRise({ ...movements, implied }, level, newest.atMs, typical.heart_rate);
  return { heart: level, explainedBpm };
}
function listSharedSignals(signals3, { stated }, atMs) {
  const samples = [...signalNames.map((name) => [name, signals3[name]]), ["activity_level", stated]];
  const shared = samples.flatMap(([signal, sample]) => {
    if (sample?.sessionId === void 0 || !isFresh(sample, atMs)) return [];
    return { signal, session_id: sample.sessionId, timestamp: new Date(sample.atMs).toISOString() };
  });
  return shared.length > 0 ? shared : void 0;
}
function shareReading(live, sessionId, reading, after, heart) {
  const { heart_rate: _, ...withoutHeartRate } = reading;
  const merged = mergeSignals(live.signals, heart?.isConfirmed === false ? withoutHeartRate : reading);
  const signals3 = {};
  for (const name of signalNames) {
    const sample = merged[name];
    if (!sample || !isFresh(sample, reading.atMs)) continue;
    signals3[name] = sample === live.signals[name] ? sample : { ...sample, sessionId };
  }
  const isNewHeart = merged.heart_rate !== live.signals.heart_rate && heart !== void 0;
  const { movement, stated } = addStatedMovement(live, reading);
  const mark = (held, now) => now === held || !now ? now : { ...now, sessionId };
  return {
    signals: signals3,
    ...signals3["heart_rate"] !== void 0 && {
      heart: isNewHeart ? toShared(heart) : live.heart,
      implied: isNewHeart ? after.implied : live.implied
    },
    movement: keepFresh(mark(live.movement, movement), reading.atMs),
    stated: keepFresh(mark(live.stated, stated), reading.atMs)
  };
}
function toShared({ bpm, fastBpm, suddenBpm }) {
  const sudden = suddenBpm === void 0 ? {} : { suddenBpm: round3(suddenBpm) };
  return { bpm: round3(bpm), fastBpm: round3(fastBpm), ...sudden };
}
function keepFresh(sample, atMs) {
  return sample && isFresh(sample, atMs) ? sample : void 0;
}

// packages/score/heart.ts
function computeHeartRateLevel(recent, newest, typical) {
  const settled2 = settle2(recent, newest);
  const last = settled2.slots.at(-1);
  const isConfirmed = isPlausible(last, newest, typical.restingBpm);
  const counted = isConfirmed ? append(settled2, newest) : settled2;
  const fastBpm = trimmedMean(counted.slots, newest.atMs) ?? last?.bpm ?? newest.value;
  const { bpm, backSinceMs } = follow(recent, { value: fastBpm, atMs: newest.atMs }, typical.value);
  const quiet = updateQuietHeartRate(recent?.quiet, fastBpm, secondsSince(recent, newest.atMs));
  return { bpm, backSinceMs, fastBpm, isConfirmed, counted, quiet };
}
function addToWindow(newest, { bpm, isConfirmed, counted, backSinceMs, quiet }) {
  const { slots, slotFromMs } = counted;
  const unconfirmed = isConfirmed ? void 0 : newest;
  return { slots, slotFromMs, unconfirmed, steadyBpm: round3(bpm), backSinceMs, quiet };
}
function follow(recent, { value: bpm, atMs }, typicalBpm) {
  const { steady_seconds, steady_within_bpm, silence_seconds } = stressModel.smoothing;
  const { back_seconds, back_gaps, back_from_bpm, back_to_bpm } = stressModel.smoothing;
  const seconds = secondsSince(recent, atMs);
  if (!recent || seconds >= silence_seconds) return { bpm };
  const isBack = recent.steadyBpm - bpm >= back_from_bpm && bpm - typicalBpm <= back_to_bpm;
  const backSinceMs = isBack ? recent.backSinceMs ?? atMs : void 0;
  const lasting = Math.max(back_seconds, back_gaps * seconds);
  if (backSinceMs !== void 0 && atMs - backSinceMs >= lasting * 1e3) return { bpm };
  const followed = bpm + (recent.steadyBpm - bpm) * Math.exp(-seconds / steady_seconds);
  return { bpm: Math.min(Math.max(followed, bpm - steady_within_bpm), bpm + steady_within_bpm), backSinceMs };
}
function secondsSince(recent, atMs) {
  const previous = recent?.unconfirmed ?? recent?.slots.at(-1);
  return previous ? (atMs - previous.atMs) / 1e3 : Infinity;
}
function settle2(recent, newest) {
  if (!recent) return { slots: [] };
  const last = recent.slots.at(-1);
  const { unconfirmed } = recent;
  if (!unconfirmed || !last) return recent;
  const isConfirmed = Math.abs(newest.value - unconfirmed.value) < Math.abs(newest.value - last.bpm);
  return isConfirmed ? append(recent, unconfirmed) : recent;
}
function isPlausible(last, { value, atMs }, restingBpm) {
  if (!last || atMs - last.atMs >= stressModel.age.stale_after_seconds * 1e3) return true;
  const { jump_bpm, jump_bpm_per_second, below_rest_bpm } = stressModel.plausibility;
  const seconds = value < restingBpm - below_rest_bpm ? 0 : (atMs - last.atMs) / 1e3;
  return Math.abs(value - last.bpm) <= jump_bpm + jump_bpm_per_second * seconds;
}
function append({ slots, slotFromMs }, { value, atMs }) {
  const { window_seconds, slot_seconds } = stressModel.smoothing;
  const last = slots.at(-1);
  const seconds = last ? Math.min((atMs - last.atMs) / 1e3, window_seconds) : window_seconds;
  const fromMs = slotFromMs ?? last?.atMs ?? atMs;
  if (last && atMs - fromMs < slot_seconds * 1e3) {
    const bpm = round3(last.bpm + (value - last.bpm) * seconds / (last.seconds + seconds));
    const longer = { atMs, bpm, seconds: round3(last.seconds + seconds) };
    return { slots: slots.with(-1, longer), slotFromMs: fromMs };
  }
  const within2 = slots.filter((slot) => slot.atMs > atMs - window_seconds * 1e3);
  within2.push({ atMs, bpm: round3(value), seconds });
  return { slots: within2 };
}
function trimmedMean(slots, atMs) {
  const startMs = atMs - stressModel.smoothing.window_seconds * 1e3;
  const ascending = slots.filter((slot) => slot.atMs > startMs).sort((a, b) => a.bpm - b.bpm);
  if (ascending.length < 2) return ascending[0]?.bpm;
  let total = 0;
  for (const { seconds } of ascending) total += seconds;
  const [low, high] = [total * stressModel.smoothing.trimmed_share, total * (1 - stressModel.smoothing.trimmed_share)];
  let [passed, sum, weight] = [0, 0, 0];
  for (const { bpm, seconds } of ascending) {
    const inside = Math.max(0, Math.min(passed + seconds, high) - Math.max(passed, low));
    sum += bpm * inside;
    weight += inside;
    passed += seconds;
  }
  return sum / weight;
}
function processHeartRate(session, reading, { heart_rate: newest }, typical, sharing) {
  const { recent, implied } = passHeart(session, newest, typical);
  const movements = addStatedMovement({ movement: session?.movement, implied, stated: session?.stated }, reading);
  const allMovements = sharing?.live ? addOtherMovements(movements, sharing) : movements;
  if (!newest) return { recent, movements, allMovements, explainedBpm: 0 };
  const { bpm, fastBpm, isConfirmed, quiet } = computeHeartRateLevel(recent, newest, typical);
  const riseMs = newest.atMs - (quiet.raisedSeconds ?? 0) * 1e3;
  const suddenBpm = hasMoved(allMovements, riseMs) ? void 0 : detectSuddenRise(quiet, fastBpm);
  const heart = { bpm, fastBpm, isConfirmed, suddenBpm };
  const explainedBpm = explainRise(allMovements, heart, newest.atMs, typical);
  return { recent, movements, allMovements, heart, explainedBpm };
}
function passHeart(session, newest, typical) {
  const before = session?.signals.heart_rate;
  if (!before || !newest || newest.atMs <= before.atMs) return { recent: session?.recent, implied: session?.implied };
  const level = computeHeartRateLevel(session.recent, before, typical);
  const implied = inferMovement(level.fastBpm, before.atMs, typical);
  return { recent: addToWindow(before, level), implied: chooseStrongerMovement(session.implied, implied) };
}
function toBaselineSample({ atMs, sdnn, rmssd, source_device }, { signals: signals3, heart, typical, explainedBpm }, device) {
  return {
    atMs,
    source_device,
    device,
    sdnn: signals3.sdnn?.atMs === atMs ? sdnn : void 0,
    rmssd: signals3.rmssd?.atMs === atMs ? rmssd : void 0,
    heart_rate: signals3.heart_rate?.atMs === atMs ? heart?.bpm : void 0,
    isSkipped: isExertion({ heart, typical, explainedBpm }),
    isRaised: isRaised({ heart, typical })
  };
}
function updateQuietHeartRate(held, bpm, gapSeconds) {
  const { pause_seconds, rise_seconds_max } = stressModel.sudden_rise;
  const start = { bpm: round3(bpm), variance: 0, seconds: 0 };
  if (!held || gapSeconds > pause_seconds) return start;
  if (!isAboveQuiet(held, bpm, gapSeconds)) return include(held, bpm, gapSeconds);
  const raisedSeconds = held.raisedSeconds === void 0 ? 0 : round3(held.raisedSeconds + gapSeconds);
  return raisedSeconds > rise_seconds_max ? start : { ...held, raisedSeconds };
}
function detectSuddenRise({ bpm: mean, raisedSeconds = -1 }, bpm) {
  return raisedSeconds >= stressModel.sudden_rise.rise_seconds ? bpm - mean : void 0;
}
function isAboveQuiet({ bpm: mean, variance, seconds, raisedSeconds }, bpm, gapSeconds) {
  const { quiet_seconds, sd_bpm_max, from_bpm, until_bpm } = stressModel.sudden_rise;
  if (raisedSeconds !== void 0) return bpm - mean >= until_bpm;
  const isQuiet = seconds + gapSeconds >= quiet_seconds && variance <= sd_bpm_max ** 2;
  return isQuiet && bpm - mean >= from_bpm;
}
function include(held, bpm, gapSeconds) {
  const { quiet_seconds, mean_seconds } = stressModel.sudden_rise;
  const seconds = held.seconds + gapSeconds;
  const share = Math.max(gapSeconds / seconds, 1 - Math.exp(-gapSeconds / mean_seconds));
  const difference = bpm - held.bpm;
  return {
    bpm: round3(held.bpm + share * difference),
    variance: round3((1 - share) * (held.variance + share * difference ** 2)),
    seconds: Math.min(quiet_seconds, round3(seconds))
  };
}

// packages/score/assess.ts
function assess({ session, reading, signals: signals3, known, timestampMs, agreeingTones, isPast: isPast2 }, sharing) {
  const all = sharing?.live ? addOtherSessions(signals3, sharing, timestampMs) : signals3;
  const typical = computeTypicalValues(known, timestampMs, all, isPast2);
  const { recent, movements, allMovements, heart, explainedBpm } = processHeartRate(
    session,
    reading,
    signals3,
    typical.heart_rate,
    sharing
  );
  const ownSituation = { signals: signals3, typical, heart, explainedBpm, agreeingTones };
  if (!sharing?.live || all === signals3 && allMovements === movements)
    return { ownSituation, situation: ownSituation, recent, movements, shared: void 0 };
  const situation = {
    ...{ signals: all, typical, agreeingTones: all.tone === signals3.tone ? agreeingTones : void 0 },
    ...chooseHeart(ownSituation, all, sharing.live, allMovements, typical)
  };
  return { ownSituation, situation, recent, movements, shared: listSharedSignals(all, allMovements, timestampMs) };
}
function findOtherHeartRate({ heart_rate }) {
  return heart_rate?.sessionId === void 0 ? void 0 : heart_rate.value;
}
function findLevel({ signals: { heart_rate }, heart }, atMs) {
  return heart && heart_rate && isFresh(heart_rate, atMs) ? { bpm: heart.fastBpm, atMs: heart_rate.atMs } : void 0;
}
function scoreAlone(sensed, device) {
  const { session, reading, timestampMs } = sensed;
  const { situation } = assess(sensed);
  const fused = fuseEvidence(situation, timestampMs);
  const { score } = publishScore(fused, void 0, timestampMs);
  const confidence = reduceAfterDeviceChange(rateConfidence(fused, situation, score), device, timestampMs);
  return {
    score,
    confidence,
    reason: explainScore(fused, situation, score, { unread: reading.unreadText, device }),
    previousScore: findAloneScore(session),
    points: computePoints(fused, situation.signals, score)
  };
}
function findPreviousScore(session, sharing) {
  return sharing?.isRead === false ? findAloneScore(session) : readScore(session?.latest);
}
function findAloneScore(session) {
  return readScore(session?.latest.alone ?? session?.latest);
}
function readScore(scored) {
  return scored && scored.confidence > 0 ? scored.score : void 0;
}

// packages/score/rr-intervals.ts
var windowMs = rrIntervals.window_seconds * 1e3;
var leastMs = rrIntervals.least_seconds * 1e3;
var gapMs = rrIntervals.gap_seconds * 1e3;
var storedMax = 1200;
var storedBytesMax = 16e3;
function addDerivedVariability(reading, batches) {
  const { atMs, rr_intervals_ms: intervals, source_device: device } = reading;
  if (!intervals) return reading;
  const isEarlier = (it) => it.device === device && it.atMs < atMs && it.atMs > atMs - windowMs;
  const earlier = batches.filter(isEarlier);
  const beats = joinBeats([...earlier, { atMs, intervals }]).filter(({ endMs }) => endMs > atMs - windowMs);
  const normal = findNormalBeats(beats);
  const own = normal.filter((_, index) => (beats[index]?.endMs ?? 0) > (earlier.at(-1)?.atMs ?? 0));
  const rrQuality = judgeQuality(beats, normal);
  const variability = rrQuality === "usable" ? computeVariability(normal) : {};
  const derived = keepDefined({
    heart_rate: computeHeartRate(own, earlier.length === 0 ? intervals : []),
    sdnn: within("sdnn", variability.sdnn),
    rmssd: within("rmssd", variability.rmssd)
  });
  const absent = Object.keys(derived).filter((name) => reading[name] === void 0);
  const names = [...absent, ...reading.derived ?? []];
  return { ...derived, ...reading, rrQuality, ...names.length > 0 && { derived: names } };
}
function storeIntervals(batches, { atMs, rr_intervals_ms: intervals, source_device: device }) {
  if (!intervals) return batches;
  const all = [...batches ?? [], { atMs, intervals, device }].sort(byTimeAndContent);
  const newestMs = all.at(-1)?.atMs ?? atMs;
  const recent = all.filter((it) => it.atMs > newestMs - windowMs);
  let count = addUp(recent.map((it) => it.intervals.length));
  let bytes = addUp(recent.map(storedBytes));
  for (let oldest = recent[0]; oldest && (count > storedMax || bytes > storedBytesMax); oldest = recent[0]) {
    count -= oldest.intervals.length;
    bytes -= storedBytes(oldest);
    recent.shift();
  }
  return recent;
}
function storedBytes({ intervals, device }) {
  const label = device === void 0 ? 0 : JSON.stringify(device).length + ',"device":'.length;
  return '{"atMs":1700000000000,"intervals":[]},'.length + 5 * intervals.length + label;
}
function computeVariability(normal) {
  const intervals = normal.flatMap((beat) => beat?.intervalMs ?? []);
  if (addUp(intervals) < leastMs) return {};
  const mean = addUp(intervals) / intervals.length;
  const variance = addUp(intervals.map((it) => (it - mean) ** 2)) / (intervals.length - 1);
  const squares = squaredDifferences(normal);
  if (squares.length === 0) return { sdnn: Math.sqrt(variance) };
  return { sdnn: Math.sqrt(variance), rmssd: Math.sqrt(addUp(squares) / squares.length) };
}
function judgeQuality(beats, normal) {
  const leftOut = normal.filter((beat) => !beat).length / beats.length;
  const squares = squaredDifferences(normal);
  const rmssd = Math.sqrt(addUp(squares) / Math.max(1, squares.length));
  const share = rmssd / findMedian(beats.map(({ intervalMs }) => intervalMs));
  const isUnusable = leftOut > rrIntervals.left_out_share_max || share > rrIntervals.variability_share_max;
  return isUnusable ? "unusable" : "usable";
}
function findNormalBeats(beats) {
  const medians = slidingMedians(
    beats.map(({ intervalMs }) => intervalMs),
    rrIntervals.neighbors
  );
  const deviations = beats.map(({ intervalMs }, index) => intervalMs / (medians[index] ?? intervalMs) - 1);
  const spread = findMedian(deviations.map(Math.abs));
  const limit = Math.max(rrIntervals.artifact_share, rrIntervals.artifact_spreads * spread);
  const isMisplaced = findMisplacedPeaks(beats);
  return beats.map((beat, index) => {
    const isArtifact = Math.abs(deviations[index] ?? 0) > limit || isMisplaced[index] || isMisplaced[index + 1];
    return isArtifact ? void 0 : beat;
  });
}
function findMisplacedPeaks(beats) {
  const differences = beats.map((beat, index) => computeDifference(beats[index - 1], beat) ?? 0);
  const typicalMs = findMedian(differences.map(Math.abs));
  const limitMs = Math.max(rrIntervals.difference_ms, rrIntervals.difference_medians * typicalMs);
  return differences.map((own, index) => {
    const [before = 0, after = 0] = [differences[index - 1], differences[index + 1]];
    const alternates = before * own < 0 || own * after < 0;
    return Math.abs(own) > limitMs * (alternates ? 1 : rrIntervals.lone_difference);
  });
}
function joinBeats(batches) {
  const beats = [];
  for (const { atMs, intervals } of batches) {
    let endMs = atMs - addUp(intervals);
    const resent = countResent(beats, intervals, endMs);
    intervals.forEach((intervalMs, index) => {
      endMs += intervalMs;
      if (index >= resent) beats.push({ endMs, intervalMs });
    });
  }
  return beats;
}
function countResent(beats, intervals, startMs) {
  const last = beats.at(-1);
  if (!last) return 0;
  const isSame = (count) => intervals.slice(0, count).every((it, index) => it === beats[beats.length - count + index]?.intervalMs);
  for (let count = Math.min(beats.length, intervals.length); count > 0; count -= 1) {
    if (intervals[count - 1] !== last.intervalMs || !isSame(count)) continue;
    const endsMs = startMs + addUp(intervals.slice(0, count));
    if (endsMs < last.endMs + last.intervalMs / 2) return count;
  }
  return 0;
}
function squaredDifferences(beats) {
  return beats.flatMap((beat, index) => {
    const difference = computeDifference(beats[index - 1], beat);
    return difference === void 0 ? [] : [difference ** 2];
  });
}
function computeDifference(previous, beat) {
  if (!previous || !beat || beat.endMs - beat.intervalMs - previous.endMs > gapMs) return void 0;
  return beat.intervalMs - previous.intervalMs;
}
function computeHeartRate(own, first) {
  const intervals = own.flatMap((beat) => beat?.intervalMs ?? []);
  if (intervals.length > 0) return within("heart_rate", 6e4 * intervals.length / addUp(intervals));
  return first.length > 0 ? within("heart_rate", 6e4 / findMedian(first)) : void 0;
}
function within(name, value) {
  const { minimum, maximum } = signals2[name];
  if (value === void 0 || name !== "heart_rate" && value < minimum) return void 0;
  return Math.round(10 * Math.min(maximum, Math.max(minimum, value))) / 10;
}
function byTimeAndContent(a, b) {
  return a.atMs - b.atMs || (`${a.intervals} ${a.device}` < `${b.intervals} ${b.device}` ? -1 : 1);
}
function keepDefined(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== void 0));
}
function slidingMedians(values, neighbors) {
  const sorted = values.slice(0, neighbors).sort((a, b) => a - b);
  return values.map((_, index) => {
    const entering = values[index + neighbors];
    const leaving = values[index - neighbors - 1];
    if (leaving !== void 0) sorted.splice(sorted.indexOf(leaving), 1);
    if (entering !== void 0) sorted.splice(firstAbove(sorted, entering), 0, entering);
    return findMiddle(sorted);
  });
}
function firstAbove(sorted, value) {
  const index = sorted.findIndex((it) => it > value);
  return index === -1 ? sorted.length : index;
}
function findMedian(values) {
  return findMiddle([...values].sort((a, b) => a - b));
}
function findMiddle(sorted) {
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
function addUp(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

// packages/score/session.ts
function advanceSession(session, submitted, known, { learnFrom = updateBaseline, sharing, isPast: isPast2 = false } = {}) {
  const reading = submitted.rr_intervals_ms ? addDerivedVariability(submitted, session?.intervals ?? []) : submitted;
  const signals3 = mergeSignals(session?.signals ?? {}, reading);
  if (session && isSuperseded(session, signals3, reading)) return joinHistory(session, reading, known, isPast2);
  const sensed = sense(session, reading, signals3, known, isPast2);
  const assessed = assess(sensed, sharing);
  const fused = fuseEvidence(assessed.situation, sensed.timestampMs);
  const device = updateDevice(session?.device ?? known?.device, reading);
  const published = publish(sensed, fused, sharing);
  const computed = computeState(sensed, { assessed, fused, device, published, sharing });
  const baseline = learnFrom(known, toBaselineSample(reading, assessed.ownSituation, device));
  const own = ofReading(reading);
  return {
    computed: own ? { ...computed, ...own } : computed,
    baseline,
    point: toPoint(reading, computed.score, computed.confidence),
    fused: {
      expressed: fused.expressed,
      heart: fused.heart,
      explained: fused.explained,
      heartRate: submitted.heart_rate ?? findOtherHeartRate(assessed.situation.signals),
      level: findLevel(assessed.situation, sensed.timestampMs)
    },
    live: shareLive(sensed, assessed, sharing),
    session: remember(sensed, { assessed, device, published, computed, baseline })
  };
}
function sense(session, reading, signals3, known, isPast2) {
  const timestampMs = Math.max(session?.latest.timestampMs ?? reading.atMs, reading.atMs);
  const agreeingTones = session && countAgreeingTones(session.signals.tone, signals3.tone, session.agreeingTones);
  return { session, reading, signals: signals3, known, timestampMs, agreeingTones, isPast: isPast2 };
}
function publish({ session, timestampMs }, fused, sharing) {
  const held = sharing?.isRead === false && session?.latest.alone ? void 0 : heldAt(session, timestampMs);
  const { hasEvidence } = fused;
  const { score, hold } = hasEvidence || !held ? publishScore(fused, held, timestampMs, session?.firstAtMs ?? timestampMs) : { score: held.score, hold: keepHold(held) };
  const isSame = held !== void 0 && isSameState(held, score, hasEvidence ? timestampMs : held.atMs);
  return { score, hold, held, sinceMs: isSame && held.sinceMs || timestampMs };
}
function computeState(sensed, { assessed, fused, device, published, sharing }) {
  const { session, reading, timestampMs } = sensed;
  const { situation, ownSituation, shared } = assessed;
  const { score, sinceMs } = published;
  const isPrior = !fused.hasEvidence && (!published.held || published.held.isPrior === true);
  const alone = situation === ownSituation ? void 0 : scoreAlone(sensed, device);
  const computed = {
    // What few readings change comes first in stored rows: a database logs a text from its first difference on.
    model: modelVersion.number,
    received: listCategories(reading),
    sinceMs,
    learned: computeProgress(situation.typical.heart_rate),
    known: round3(situation.typical.heart_rate.known),
    reason: explainScore(fused, situation, score, { unread: reading.unreadText, device }),
    points: computePoints(fused, situation.signals, score),
    timestampMs,
    score,
    confidence: reduceAfterDeviceChange(rateConfidence(fused, situation, score), device, timestampMs),
    previousScore: findPreviousScore(session, sharing)
  };
  if (!isPrior && !shared && !alone) return computed;
  return { ...computed, ...isPrior && { isPrior }, ...shared && { shared }, ...alone && { alone } };
}
function shareLive({ reading, signals: signals3 }, { movements, ownSituation }, sharing) {
  if (!sharing?.live) return void 0;
  const after = { signals: signals3, implied: movements.implied };
  return shareReading(sharing.live, sharing.sessionId, reading, after, ownSituation.heart);
}
function remember(sensed, { assessed, device, published, computed, baseline }) {
  const { session, reading, signals: signals3, timestampMs, agreeingTones } = sensed;
  const { recent, movements } = assessed;
  const { subjectId, baseline: own } = identify(session, reading, baseline);
  const received = receivedAt(session, reading.atMs, computed.received);
  return {
    subjectId,
    baseline: own,
    firstAtMs: session?.firstAtMs ?? timestampMs,
    eventSeq: session?.eventSeq,
    topicEvidence: session?.topicEvidence,
    sightedTopics: session?.sightedTopics,
    latest: received === computed.received ? computed : { ...computed, received },
    signals: signals3,
    recent,
    intervals: reading.rr_intervals_ms ? storeIntervals(session?.intervals, reading) : session?.intervals,
    movement: movements.movement,
    implied: movements.implied,
    stated: movements.stated,
    agreeingTones,
    device,
    held: published.held,
    published: published.hold,
    talk: session?.talk,
    past: session?.past
  };
}
function heldAt(session, timestampMs) {
  if (!session) return void 0;
  const { latest, published: hold, held } = session;
  if (timestampMs === latest.timestampMs) return held;
  const { score, sinceMs, isPrior } = latest;
  const atMs = hold.publishedMs ?? latest.timestampMs;
  const { bandSinceMs, scoreBefore, dwell, expressed, words } = computePublishedBefore({ score, hold }, held, atMs);
  return { score, atMs, bandSinceMs, scoreBefore, dwell, expressed, words, sinceMs, isPrior };
}
function keepHold({ score: _, sinceMs: __, isPrior: ___, atMs, ...hold }) {
  return { ...hold, publishedMs: atMs };
}
function receivedAt(session, atMs, received) {
  if (!session || atMs > session.latest.timestampMs) return received;
  if (atMs < session.latest.timestampMs) return session.latest.received;
  const both = /* @__PURE__ */ new Set([...session.latest.received, ...received]);
  return signalCategories.filter((category) => both.has(category));
}
function isSuperseded(session, merged, reading) {
  if (reading.atMs >= session.latest.timestampMs) return false;
  if (addStatedMovement(session, reading) !== session) return false;
  return signalNames.every((name) => merged[name] === session.signals[name]);
}
function joinHistory(session, reading, known, isPast2) {
  const baseline = known ?? {};
  return {
    computed: {
      ...session.latest,
      model: modelVersion.number,
      received: listCategories(reading),
      // `latest` is always present, because the session already has a reading.
      previousScore: session.latest.previousScore ?? session.latest.score,
      ...ofReading(reading)
    },
    baseline,
    point: scoreOwnSignals(reading, known, isPast2),
    session: {
      ...session,
      intervals: reading.rr_intervals_ms ? storeIntervals(session.intervals, reading) : session.intervals,
      ...identify(session, reading, baseline)
    }
  };
}
function scoreOwnSignals(reading, known, isPast2 = false) {
  const signals3 = mergeSignals({}, reading);
  const typical = computeTypicalValues(known, reading.atMs, {}, isPast2);
  const { heart, explainedBpm } = processHeartRate(void 0, reading, signals3, typical.heart_rate);
  const situation = { signals: signals3, typical, heart, explainedBpm };
  const fused = fuseEvidence(situation, reading.atMs);
  const { score } = publishScore(fused, void 0, reading.atMs);
  return toPoint(reading, score, rateConfidence(fused, situation, score));
}
function ofReading(reading) {
  const { rrQuality } = reading;
  const derived = listTextValues(reading);
  return rrQuality || derived ? { ...rrQuality && { rrQuality }, ...derived && { derived } } : void 0;
}
function isOtherSubject(session, { subjectId }) {
  return session?.subjectId !== void 0 && subjectId !== void 0 && subjectId !== session.subjectId;
}
function identify(session, reading, baseline) {
  const subjectId = session?.subjectId ?? reading.subjectId;
  return { subjectId, baseline: subjectId === void 0 ? baseline : void 0 };
}
function backfillSession(session, reading, known) {
  const isLive = session !== void 0 && !session.isBackfilled;
  const past = isLive ? session.past : session;
  const bound2 = past && { ...past, subjectId: session?.subjectId };
  const durations = measureDurations(bound2, reading);
  const step = advanceSession(bound2, withSubject(session, reading), known, {
    learnFrom: (baseline2, lesson) => backfillBaseline(baseline2, lesson, durations),
    isPast: true
  });
  const { subjectId, baseline, ...state } = step.session;
  if (!isLive) return { ...step, session: { ...step.session, isBackfilled: true } };
  return { ...step, session: { ...session, subjectId, baseline, past: state } };
}
function startLiveState(session, reading, known, options) {
  const step = advanceSession(void 0, withSubject(session, reading), known, options);
  const { subjectId: _, baseline: __, isBackfilled: ___, ...past } = session;
  return { ...step, session: { ...step.session, past } };
}
function withSubject(session, reading) {
  return session?.subjectId === void 0 ? reading : { ...reading, subjectId: session.subjectId };
}
function measureDurations(past, { atMs }) {
  const secondsMax = stressModel.baseline.reading_seconds_max;
  const since = (previous) => previous ? Math.min(secondsMax, Math.max(0, (atMs - previous.atMs) / 1e3)) : secondsMax;
  const { heart_rate, sdnn, rmssd } = past?.signals ?? {};
  return { heart_rate: since(heart_rate), sdnn: since(sdnn), rmssd: since(rmssd) };
}

// src/view/grant.ts
function isLimited(grant) {
  return grant?.sessionId !== void 0 || grant?.subjectId !== void 0;
}
function findOnlyPerson(grant) {
  return grant?.sessionId === void 0 ? grant?.subjectId : void 0;
}
function isHidden(grant, subjectId) {
  const own = findOnlyPerson(grant);
  return own !== void 0 && own !== subjectId;
}
function knowsPerson(grant, subjectId) {
  return !isLimited(grant) || grant.subjectId !== void 0 && grant.subjectId === subjectId;
}
function mayName(grant, subjectId, subjectOfSession) {
  if (!isLimited(grant) || subjectId === grant.subjectId) return true;
  return findOnlyPerson(grant) === void 0 && (subjectId === void 0 || subjectId === subjectOfSession);
}

// src/contract/consent.ts
var allCategories = enums.ConsentCategory;
var isLabel = (name) => labelNames.includes(name);
function isExpired({ expiresAtMs }, nowMs) {
  return expiresAtMs !== void 0 && nowMs >= expiresAtMs;
}
function findRefusedCategories({ context, categories: categories2 }, hasPurpose) {
  const isRestricted = consent.restricted_contexts.includes(context) && !hasPurpose;
  return isRestricted ? categories2.filter((it) => consent.biometric_categories.includes(it)) : [];
}
function readAllowed(consent2, hasPurpose, nowMs) {
  if (consent2.isUnverified || isExpired(consent2, nowMs)) return /* @__PURE__ */ new Set();
  const refused = findRefusedCategories(consent2, hasPurpose);
  return new Set(consent2.categories.filter((it) => !refused.includes(it)));
}
function keepAllowed(measured, allowed) {
  const names = Object.keys(signals);
  const refused = names.filter((name) => measured[name] !== void 0 && !allowed.has(signals[name].consent));
  if (refused.length === 0) return { kept: measured, dropped: [] };
  const { derived, ...values } = measured;
  const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !refused.includes(name)));
  const left2 = derived?.filter((name) => !refused.includes(name)) ?? [];
  const dropped = refused.filter((name) => !derived?.includes(name));
  return { kept: left2.length > 0 ? { ...kept, derived: left2 } : kept, dropped };
}
function removeLiveValues(session, allowed) {
  const removed = allCategories.filter((category) => !allowed.has(category));
  const cleared = removed.reduce((so, category) => without(so, findDerived[category](so)), session);
  const lost = Object.keys(session.signals).filter(
    (name) => session.signals[name] !== void 0 && !allowed.has(signals[name].consent)
  );
  const past = session.past && removeLiveValues(session.past, allowed);
  const calmed = lost.some(isLabel) ? withoutExpressed(cleared) : cleared;
  if (lost.length === 0) return without(calmed, { past });
  const signals3 = Object.entries(session.signals).filter(([name]) => !lost.includes(name));
  return { ...calmed, signals: Object.fromEntries(signals3), past };
}
function keepAllowedLive({ signals: signals3, heart, implied, movement, stated }, allowed) {
  const kept = Object.entries(signals3).filter(([name]) => allowed.has(signals[name].consent));
  return {
    signals: Object.fromEntries(kept),
    ...allowed.has("cardiovascular") && { heart, implied },
    ...allowed.has("movement") && { movement, stated }
  };
}
var findDerived = {
  cardiovascular: ({ talk }) => ({
    ...{ baseline: void 0, recent: void 0, intervals: void 0, device: void 0, implied: void 0 },
    // Keeps the turns, whose stress was measured while the heart data was allowed.
    talk: talk && without(talk, { bpm: void 0, lowBpm: void 0, lowEvidence: void 0, rise: void 0 })
  }),
  vocal: () => ({ agreeingTones: void 0 }),
  visual: () => ({}),
  textual: () => ({ topicEvidence: void 0, sightedTopics: void 0, talk: void 0 }),
  movement: () => ({ movement: void 0, stated: void 0 })
};
function withoutExpressed({ held, published, ...session }) {
  const calm = { expressed: void 0, words: void 0 };
  return { ...session, published: { ...published, ...calm }, held: held && { ...held, ...calm } };
}
function without(before, changes) {
  const isSame = Object.entries(changes).every(([name, value]) => before[name] === value);
  return isSame ? before : { ...before, ...changes };
}

// node_modules/lru-cache/dist/esm/node/index.min.js
import { tracingChannel as G, channel as P } from "node:diagnostics_channel";
var S = P("lru-cache:metrics");
var W = G("lru-cache");
var L = typeof performance == "object" && performance && typeof performance.now == "function" ? performance : Date;
var M = typeof process == "object" && process ? process : {};

// src/store/row-formats.ts
var rewritten = { step: 32, slack: 256 };
var rowFormats = {
  sourceKeyPost: createRowFormat("post of a source key"),
  accountSettings: createRowFormat("set of account settings"),
  session: createRowFormat("session", rewritten),
  subject: createRowFormat("subject", rewritten),
  signals: createRowFormat("list of signals"),
  response: createRowFormat("response"),
  statusChanges: createRowFormat("list of status changes")
};
var version = 1;
function createRowFormat(name, { step, slack } = { step: 1, slack: 0 }) {
  return {
    /** Returns the content as JSON text with its format version in `v`. `before` is the length of the stored row, if known. */
    encode(content, before = 0) {
      const text = JSON.stringify(content);
      const row = text === "{}" ? `{"v":${version}}` : `{"v":${version},${text.slice(1)}`;
      const length = Math.ceil(row.length / step) * step;
      return row.padEnd(before > length + slack ? length : Math.max(before, length));
    },
    /** Returns the content of a row. Throws for an unknown version. */
    decode(text) {
      const { v, ...content } = JSON.parse(text);
      if (v === version) return content;
      const found = `A stored ${name} has row format version ${JSON.stringify(v)}; this release reads ${version}.`;
      throw new Error(`${found} Run the release that wrote it, or a later one.`);
    }
  };
}

// src/store/tables/table.ts
function listColumns({ about }) {
  return Object.keys(about).flatMap((names) => names.split(" "));
}
function addAscii(table, name, lengthMax) {
  return table.string(name, lengthMax).collate("ascii_bin");
}
function addFixedAscii(table, name, length) {
  return table.specificType(name, `char(${length})`).collate("ascii_bin");
}
function addAsciiJson(table, name) {
  return table.text(name).collate("ascii_bin");
}
function addAnyText(table, name) {
  return table.text(name).collate("utf8mb4_bin");
}

// src/store/tables/sessions.ts
var touchStepMs = 6e4;
var accountKey = "substr(sessions.account_id, 5, 12)";
var sampleKeyLength = 16;
var sessionTables = {
  sessions: {
    content: "sessions: current state, recent values, topics as numbers",
    identifies: "person",
    retention: "RETENTION_IDLE_SESSIONS_HOURS",
    expiry: {
      ...{ kind: "sessions", column: "touched_at_ms", graceMs: touchStepMs },
      // Every stored reading has a session, so that an erasure finds it.
      unless: ["session_readings", "late_readings"].map(
        (it) => `exists (select 1 from ${it} r where r.account = ${accountKey} and r.incarnation = sessions.incarnation)`
      ).join(" or ")
    },
    erasure: "deleted",
    readBy: ["getState", "listSessions", "getHistory", "exportReadings"],
    about: {
      account_id: "account",
      "subject_id session_id": "ids of the person and the session, chosen by the integrator",
      "incarnation version": "internal ids",
      "touched_at_ms started_at_ms": "times of the last and the first reading",
      body: "current signals, baseline, score, reason and topic evidence. Never text"
    },
    columns: defineSessions,
    indexes: {
      sessions_by_touch: ["touched_at_ms"],
      sessions_by_start: ["account_id", "started_at_ms", "incarnation"],
      sessions_by_subject: ["account_id", "subject_id", "started_at_ms", "incarnation"]
    },
    unique: { sessions_by_incarnation: ["account_id", "incarnation"] }
  },
  // In the order of their acceptance. Short columns identify the account and the session, because each row and each
  // index entry repeats them.
  session_readings: {
    content: "readings: signals, score and response",
    notice: "Your measurements, and the estimates computed from them",
    identifies: "person",
    retention: "RETENTION_READINGS_HOURS",
    expiry: { kind: "readings", column: "timestamp_ms" },
    erasure: "deleted",
    readBy: ["getHistory", "exportReadings", "streamEvents", "getSubjectSummary", "ingest", "ingestBatch"],
    about: {
      "account incarnation": "account and session, shortened",
      timestamp_ms: "time of the reading",
      "position digest": "order of storage, and a part of a hash that detects resends",
      signals: "signals and context of the reading. Never text",
      "stress_score confidence previous_score model_version": "score, its confidence, the previous score, the model",
      response: "the rest of the response: reason, state, topics",
      state_change: "the event that webhooks and streams send",
      moved_to: "order of the last replacement of the reading, for exports"
    },
    columns: defineSessionReadings,
    // Position in `late_readings` of the last replacement. An export returns the reading there.
    added: { moved_to: (table) => void table.bigInteger("moved_to").nullable() },
    indexes: { session_readings_by_session: ["account", "incarnation", "position", "digest"] },
    isClustered: true
  },
  late_readings: {
    content: "index of backfilled readings, and of readings with a `sample_id`",
    identifies: "person",
    retention: "RETENTION_READINGS_HOURS",
    erasure: "deleted",
    readBy: [],
    about: {
      "account incarnation": "account and session, shortened",
      timestamp_ms: "time of the reading",
      "position digest": "order of storage, and a part of a hash that detects resends",
      "sample row_position is_sourced": "hash of the sample, its reading, and whether a source key sent it"
    },
    columns: defineLateReadings,
    // A body with a sample has a row with these columns, at a position that no reading has. Earlier releases ignore it,
    // and delete it with its session and after its time.
    added: {
      sample: (table) => void addFixedAscii(table, "sample", sampleKeyLength).nullable(),
      // Position of the reading in `session_readings`.
      row_position: (table) => void table.bigInteger("row_position").nullable(),
      is_sourced: (table) => void table.specificType("is_sourced", "smallint").nullable()
    },
    indexes: {
      late_readings_by_sample: ["sample"],
      late_readings_by_session: ["account", "incarnation", "position"],
      late_readings_by_time: ["timestamp_ms"],
      late_readings_by_digest: ["account", "incarnation", "timestamp_ms", "digest"]
    },
    isClustered: true
  },
  stream_positions: {
    content: "position of the newest reading of an account",
    identifies: "nobody",
    retention: "without end",
    erasure: "no data of people",
    readBy: [],
    about: {
      "account_id position erasures": "numbers",
      "purged_to_ms purge_until_ms": "time before which no reading is stored, and the end of the present purge"
    },
    added: {
      // A lower limit of the times of the account's readings, except late ones. 0: unknown. Readings never lower it, because
      // their positions ascend.
      purged_to_ms: (table) => void table.bigInteger("purged_to_ms").notNullable().defaultTo(0),
      // A process that purges the account has it until this time.
      purge_until_ms: (table) => void table.bigInteger("purge_until_ms").notNullable().defaultTo(0)
    },
    indexes: { stream_positions_by_purge: ["purged_to_ms", "account_id"] },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      table.bigInteger("position").notNullable();
      table.bigInteger("erasures").notNullable();
      table.primary(["account_id"]);
    }
  }
};
function defineSessions(table) {
  addAscii(table, "account_id", 32).notNullable();
  addAscii(table, "session_id", 256).notNullable();
  addFixedAscii(table, "incarnation", 12).notNullable();
  addAscii(table, "version", 12).notNullable();
  addAscii(table, "subject_id", 256).nullable();
  table.bigInteger("touched_at_ms").notNullable();
  table.bigInteger("started_at_ms").notNullable();
  addAsciiJson(table, "body").nullable();
  table.primary(["account_id", "session_id"]);
}
function defineSessionReadings(table) {
  addFixedAscii(table, "account", 12).notNullable();
  table.bigInteger("position").notNullable();
  addFixedAscii(table, "incarnation", 12).notNullable();
  table.bigInteger("timestamp_ms").notNullable();
  addFixedAscii(table, "digest", 12).notNullable();
  table.specificType("stress_score", "smallint").notNullable();
  table.double("confidence").notNullable();
  table.specificType("model_version", "smallint").notNullable();
  table.specificType("previous_score", "smallint").nullable();
  addAsciiJson(table, "signals").notNullable();
  addAsciiJson(table, "response").notNullable();
  addAsciiJson(table, "state_change").nullable();
  table.primary(["account", "position"]);
}
function defineLateReadings(table) {
  addFixedAscii(table, "account", 12).notNullable();
  table.bigInteger("position").notNullable();
  addFixedAscii(table, "incarnation", 12).notNullable();
  table.bigInteger("timestamp_ms").notNullable();
  addFixedAscii(table, "digest", 12).notNullable();
  table.primary(["account", "position"]);
}

// src/store/sessions.ts
var savedRows = {
  table: "sessions",
  columns: "account_id session_id incarnation version subject_id touched_at_ms started_at_ms body".split(" ")
};

// src/store/tables/access-record.ts
var accessTables = {
  access_entries: {
    content: "access record: which key read, exported or erased whose data",
    identifies: "pseudonym",
    retention: "RETENTION_ACCESS_DAYS",
    // Chains are deleted as a whole, so that the rest stays verifiable.
    expiry: {
      ...{ kind: "accesses", column: "at_ms" },
      condition: "chain_id in (select chain_id from access_chains where at_ms < ?)"
    },
    erasure: "stay. Nobody can tell any more to whom they belong",
    readBy: ["listAccesses"],
    about: {
      "chain_id seq mac": "chain, number and code of the entry",
      at_ms: "minute of the access",
      "account_id key_id credential": "account, key, and whether a token or a link was used",
      "action operation": "what was done",
      subject: "pseudonym of the person"
    },
    columns(table) {
      addFixedAscii(table, "chain_id", 16).notNullable();
      table.bigInteger("seq").notNullable();
      table.bigInteger("at_ms").notNullable();
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "key_id", 32).notNullable();
      addAscii(table, "credential", 8).notNullable();
      addAscii(table, "action", 8).notNullable();
      addAscii(table, "operation", 64).notNullable();
      addAscii(table, "subject", 32).notNullable();
      addFixedAscii(table, "mac", 64).notNullable();
      table.primary(["chain_id", "seq"]);
    },
    indexes: {
      access_entries_by_subject: ["account_id", "subject", "at_ms", "chain_id", "seq"],
      access_entries_by_time: ["at_ms", "chain_id", "seq"]
    }
  },
  access_chains: {
    content: "signed checkpoints of the access record",
    identifies: "nobody",
    retention: "RETENTION_ACCESS_DAYS",
    erasure: "no data of people",
    readBy: [],
    about: { "chain_id key_check seq mac at_ms signature": "chain, its last entry, and a signature" },
    columns(table) {
      addFixedAscii(table, "chain_id", 16).notNullable();
      addFixedAscii(table, "key_check", 16).notNullable();
      table.bigInteger("seq").notNullable();
      addFixedAscii(table, "mac", 64).notNullable();
      table.bigInteger("at_ms").notNullable();
      addFixedAscii(table, "signature", 64).notNullable();
      table.primary(["chain_id"]);
    },
    indexes: { access_chains_by_time: ["at_ms"] }
  },
  access_subjects: {
    content: "link between people and their pseudonyms",
    identifies: "person",
    retention: "RETENTION_ACCESS_DAYS",
    // No entry of the chains that are stored requires an older link.
    expiry: { column: "used_at_ms", graceMs: 2 * 24 * 36e5 },
    erasure: "deleted",
    readBy: ["listAccesses"],
    about: {
      "account_id subject_id": "account and person. An erasure removes the person",
      pseudonym: "pseudonym in `access_entries`",
      code: "keyed digest of the account, the person and the pseudonym",
      used_at_ms: "a time on the last day with an access"
    },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addFixedAscii(table, "pseudonym", 32).notNullable();
      addAscii(table, "subject_id", 256);
      addFixedAscii(table, "code", 32).notNullable();
      table.bigInteger("used_at_ms").notNullable();
      table.primary(["account_id", "pseudonym"]);
    },
    indexes: { access_subjects_by_time: ["used_at_ms"] },
    unique: { access_subjects_by_subject: ["account_id", "subject_id"] }
  }
};

// src/store/tables/accounts.ts
var accountTables = {
  accounts: {
    content: "accounts and their settings",
    identifies: "nobody",
    retention: "without end",
    erasure: "no data of people",
    readBy: [],
    about: {
      "account_id name tier created_at_ms": "account",
      settings: "e.g. the mode of consent and the stated purpose",
      webhook_epoch: "internal number"
    },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "name", 64).notNullable();
      addAscii(table, "tier", 16).notNullable();
      table.bigInteger("created_at_ms").notNullable();
      table.bigInteger("webhook_epoch").notNullable().defaultTo(0);
      addAsciiJson(table, "settings").nullable();
      table.primary(["account_id"]);
    },
    unique: { accounts_by_name: ["name"] }
  },
  api_keys: {
    content: "API keys as hashes",
    identifies: "nobody",
    retention: "without end, also revoked ones",
    erasure: "no data of people",
    readBy: [],
    about: {
      "account_id key_id key_hash display_prefix": "key, as a hash and a prefix",
      "scopes networks": "what the key may do, and from where",
      "created_at_ms expires_at_ms revoked_at_ms last_used_at_ms": "times. The last use is rounded to the hour",
      code: "keyed digest of the row, so that changes are detected"
    },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "key_id", 32).notNullable();
      addFixedAscii(table, "key_hash", 64).notNullable();
      addAscii(table, "display_prefix", 16).notNullable();
      addAscii(table, "scopes", 64).nullable();
      addAscii(table, "networks", 1500).nullable();
      table.bigInteger("created_at_ms").notNullable();
      table.bigInteger("expires_at_ms").nullable();
      table.bigInteger("revoked_at_ms").nullable();
      table.bigInteger("last_used_at_ms").nullable();
      table.primary(["account_id", "key_id"]);
    },
    unique: { api_keys_by_hash: ["key_hash"] },
    // Without the last use, which changes every hour.
    coded: {
      key: ["account_id", "key_id"],
      fields: ["key_hash", "display_prefix", "scopes", "networks", "created_at_ms", "expires_at_ms", "revoked_at_ms"]
    }
  },
  key_audit: {
    content: "audit log of keys and accounts. `actor` may name an administrator",
    identifies: "person",
    retention: "without end",
    erasure: "none: it names administrators, not the people whose signals are sent",
    readBy: [],
    about: {
      "account_id entry_id at_ms action": "what was done, and when",
      "key_id key_prefix details": "which key, and how it was changed",
      actor: "who did it, e.g. a user name of the machine",
      code: "keyed digest of the row, so that changes are detected"
    },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "entry_id", 32).notNullable();
      table.bigInteger("at_ms").notNullable();
      addAscii(table, "action", 16).notNullable();
      addAscii(table, "key_id", 32).nullable();
      addAscii(table, "key_prefix", 16).nullable();
      addAnyText(table, "actor").notNullable();
      addAsciiJson(table, "details").notNullable();
      table.primary(["account_id", "at_ms", "entry_id"]);
    },
    indexes: { key_audit_by_time: ["at_ms", "entry_id"] },
    coded: {
      key: ["account_id", "at_ms", "entry_id"],
      fields: ["action", "key_id", "key_prefix", "actor", "details"]
    }
  }
};

// src/store/tables/alerts.ts
var dayMs = 24 * 60 * 60 * 1e3;
var ruleTime = "(select created_at_ms from alert_rules r where r.account_id = alert_people.account_id and r.alert_id = alert_people.alert_id)";
var alertTables = {
  alert_rules: {
    content: "alert rules of the account",
    identifies: "nobody",
    retention: "until the rule is removed",
    erasure: "no data of people",
    readBy: ["createAlertRule", "listAlertRules"],
    about: {
      "account_id alert_id": "account and rule",
      "watches_everyone created_at_ms": "whether the rule watches all people of the account, and its time",
      body: "condition, duration and quiet hours"
    },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "alert_id", 32).notNullable();
      table.specificType("watches_everyone", "smallint").notNullable();
      table.bigInteger("created_at_ms").notNullable();
      addAsciiJson(table, "body").notNullable();
      table.primary(["account_id", "alert_id"]);
    }
  },
  alert_people: {
    content: "people that an alert rule names",
    notice: "Which rules notify others about you",
    identifies: "person",
    retention: "until the rule is removed",
    erasure: "deleted",
    erasesBySubject: { time: ruleTime },
    readBy: ["createAlertRule", "listAlertRules"],
    about: { "account_id alert_id subject_id": "account, rule and person" },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "alert_id", 32).notNullable();
      addAscii(table, "subject_id", 256).notNullable();
      table.primary(["account_id", "alert_id", "subject_id"]);
    },
    indexes: { alert_people_by_subject: ["account_id", "subject_id"] }
  },
  // The key allows one firing per rule, person and hour. Each row is written in the transaction of its event.
  alert_firings: {
    content: "times at which alert rules fired for a person",
    identifies: "person",
    retention: `${alerts.firing_days} days`,
    expiry: { kind: "alert firings", column: "fired_at_ms", maxAgeMs: alerts.firing_days * dayMs },
    erasure: "deleted",
    erasesBySubject: { batchKey: "alert_id", time: "fired_at_ms" },
    readBy: ["listAlertRules"],
    about: {
      "account_id alert_id subject_id": "account, rule and person",
      "hour_ms fired_at_ms": "hour and time of the firing"
    },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "alert_id", 32).notNullable();
      addAscii(table, "subject_id", 256).notNullable();
      table.bigInteger("hour_ms").notNullable();
      table.bigInteger("fired_at_ms").notNullable();
      table.primary(["account_id", "alert_id", "subject_id", "hour_ms"]);
    },
    indexes: {
      alert_firings_by_subject: ["account_id", "subject_id", "alert_id", "fired_at_ms"],
      alert_firings_by_rule: ["account_id", "alert_id", "fired_at_ms"],
      alert_firings_by_time: ["fired_at_ms"]
    }
  },
  alert_lease: {
    content: "the minute in which a process last looked for due alert rules",
    identifies: "nobody",
    retention: "without end",
    erasure: "no data of people",
    readBy: [],
    about: { "name minute_ms": "internal name and time" },
    columns(table) {
      addAscii(table, "name", 16).notNullable();
      table.bigInteger("minute_ms").notNullable();
      table.primary(["name"]);
    }
  },
  // An account whose people must be found, because it has a new rule or receiver.
  alert_seeds: {
    content: "accounts whose alert rules will be evaluated for all people with recent readings",
    identifies: "nobody",
    retention: "until the people are found",
    erasure: "no data of people",
    readBy: [],
    about: { account_id: "account", "until_ms from_ms": "times between which the readings are not searched yet" },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      table.bigInteger("until_ms").notNullable();
      table.bigInteger("from_ms").notNullable();
      table.primary(["account_id"]);
    }
  }
};

// src/store/tables/consent.ts
var consents = {
  content: "every version of the consent of a person",
  notice: "What you allowed, and when",
  identifies: "person",
  retention: "until the person is erased",
  erasure: "deleted",
  erasesBySubject: {},
  readBy: ["getConsent", "listConsentVersions", "putConsent"],
  about: {
    "account_id subject_id": "account and person",
    "version recorded_at_ms": "number and time of the version",
    body: "categories, purposes, context, times and the reference of your evidence",
    code: "keyed digest of the row, so that changes are detected"
  },
  columns(table) {
    addAscii(table, "account_id", 32).notNullable();
    addAscii(table, "subject_id", 256).notNullable();
    table.integer("version").notNullable();
    table.bigInteger("recorded_at_ms").notNullable();
    addAsciiJson(table, "body").notNullable();
    table.primary(["account_id", "subject_id", "version"]);
  },
  coded: { key: ["account_id", "subject_id", "version"], fields: ["recorded_at_ms", "body"] },
  isClustered: true
};

// src/store/tables/erased-ids.ts
var erased_ids = {
  content: "keyed hashes of erased ids, so that earlier tokens send no more data, and a restore erases them again",
  identifies: "pseudonym",
  retention: "RETENTION_ERASURES_DAYS",
  expiry: { kind: "erasures", column: "erased_at_ms" },
  erasure: "created",
  readBy: [],
  about: {
    ...{ account_id: "account", digest: "keyed hash of the id", erased_at_ms: "time of the erasure" },
    code: "keyed digest of the row, so that changes are detected"
  },
  columns(table) {
    addAscii(table, "account_id", 32).notNullable();
    addFixedAscii(table, "digest", 32).notNullable();
    table.bigInteger("erased_at_ms").notNullable();
    table.primary(["account_id", "digest"]);
  },
  indexes: { erased_ids_by_time: ["erased_at_ms"] },
  coded: { key: ["account_id", "digest"], fields: ["erased_at_ms"] }
};

// src/store/tables/facts.ts
var facts = {
  content: "what happened to a person in an interval, e.g. a workout",
  notice: "Your workouts, rest and sleep, as your apps state them",
  identifies: "person",
  retention: "RETENTION_READINGS_HOURS",
  expiry: { kind: "facts", column: "until_ms" },
  erasure: "deleted",
  erasesBySubject: { batchKey: "fact_id", time: "recorded_at_ms" },
  readBy: ["putFact", "listFacts", "exportReadings"],
  about: {
    "account_id subject_id fact_id": "account, person and fact. The integrator or the source chooses the ids",
    "kind level": "what happened, and how much the person moved",
    "start_ms end_ms until_ms": "start, end, and the time until which the fact counts",
    "revision source recorded_at_ms": "version, source and time of storage",
    "pending_from_ms pending_until_ms is_removed": "the time whose readings are to be scored again, and whether the fact is removed then"
  },
  columns(table) {
    addAscii(table, "account_id", 32).notNullable();
    addAscii(table, "subject_id", 256).notNullable();
    addAscii(table, "fact_id", 256).notNullable();
    addAscii(table, "kind", 16).notNullable();
    addAscii(table, "level", 16).nullable();
    table.bigInteger("start_ms").notNullable();
    table.bigInteger("end_ms").nullable();
    table.bigInteger("until_ms").notNullable();
    table.bigInteger("revision").notNullable();
    addAscii(table, "source", 32).nullable();
    table.bigInteger("recorded_at_ms").notNullable();
    table.bigInteger("pending_from_ms").nullable();
    table.bigInteger("pending_until_ms").nullable();
    table.specificType("is_removed", "smallint").notNullable();
    table.primary(["account_id", "subject_id", "fact_id"]);
  },
  indexes: {
    facts_by_start: ["account_id", "subject_id", "start_ms", "fact_id"],
    facts_by_age: ["until_ms"],
    facts_by_pending: ["pending_from_ms"]
  },
  isClustered: true
};

// src/store/tables/feedback.ts
var feedback = {
  content: "what people report about their stress, with the published score",
  notice: "What you report about your stress",
  identifies: "person",
  retention: "RETENTION_FEEDBACK_DAYS",
  expiry: { kind: "feedback", column: "timestamp_ms" },
  erasesBySubject: { batchKey: "feedback_id" },
  bindsBy: ["session_id", "incarnation"],
  erasure: "deleted. A report of a session that never had a `subject_id` stays until its retention ends",
  readBy: ["listFeedback", "submitFeedback", "getAgreement", "getSubjectAgreement"],
  about: {
    account_id: "account",
    "subject_id session_id": "ids of the person and the session, chosen by the integrator",
    "feedback_id incarnation": "internal ids",
    "timestamp_ms duration_seconds recorded_at_ms": "time of the report",
    "stress note_code": "what the person said: a number and a code. Never text",
    "stress_score model_version readings": "the published score of that time"
  },
  columns(table) {
    addAscii(table, "account_id", 32).notNullable();
    addAscii(table, "feedback_id", 64).notNullable();
    addAscii(table, "subject_id", 256).nullable();
    addAscii(table, "session_id", 256).nullable();
    addFixedAscii(table, "incarnation", 12).nullable();
    table.bigInteger("timestamp_ms").notNullable();
    table.integer("duration_seconds").nullable();
    table.specificType("stress", "smallint").notNullable();
    addAscii(table, "note_code", 32).nullable();
    table.specificType("stress_score", "smallint").nullable();
    table.specificType("model_version", "smallint").nullable();
    table.integer("readings").nullable();
    table.bigInteger("recorded_at_ms").notNullable();
    table.primary(["account_id", "feedback_id"]);
  },
  indexes: {
    feedback_by_age: ["timestamp_ms"],
    feedback_by_time: ["account_id", "timestamp_ms", "feedback_id"],
    feedback_by_subject: ["account_id", "subject_id", "timestamp_ms", "feedback_id"],
    feedback_by_session: ["account_id", "session_id"]
  }
};

// src/store/tables/person-links.ts
var person_links = {
  content: "links to the page of a person, as hashes",
  notice: "Links that you got to see your data",
  identifies: "person",
  retention: "until the link expires or is removed",
  expiry: { column: "expires_at_ms", maxAgeMs: 0 },
  erasesBySubject: { time: "created_at_ms" },
  erasure: "deleted",
  readBy: ["createLink", "listLinks"],
  about: {
    "account_id link_id subject_id grants": "whose data the link reads, and what else its page may do",
    key_hash: "hash of the secret in the link, or of the cookie once the link was opened",
    code: "keyed digest of the row, so that changes are detected",
    "maker_key_id created_at_ms opened_at_ms expires_at_ms": "the API key that created it, and times"
  },
  columns(table) {
    addAscii(table, "account_id", 32).notNullable();
    addAscii(table, "link_id", 32).notNullable();
    addFixedAscii(table, "key_hash", 64).notNullable();
    addAscii(table, "subject_id", 256).notNullable();
    addAscii(table, "grants", 64).notNullable();
    addAscii(table, "maker_key_id", 32).notNullable();
    table.bigInteger("created_at_ms").notNullable();
    table.bigInteger("opened_at_ms").nullable();
    table.bigInteger("expires_at_ms").notNullable();
    table.primary(["account_id", "link_id"]);
  },
  coded: {
    key: ["account_id", "link_id"],
    fields: ["key_hash", "subject_id", "grants", "maker_key_id", "created_at_ms", "opened_at_ms", "expires_at_ms"]
  },
  unique: { person_links_by_hash: ["key_hash"] },
  indexes: {
    person_links_by_subject: ["account_id", "subject_id"],
    person_links_by_maker: ["maker_key_id"],
    person_links_by_expiry: ["expires_at_ms"]
  }
};

// src/store/tables/receipt-keys.ts
var receipt_keys = {
  content: "keys that sign deletion receipts",
  identifies: "nobody",
  retention: "without end. Private keys are deleted by a rotation",
  erasure: "no data of people",
  readBy: ["listReceiptKeys"],
  about: {
    "key_id public_key private_key created_at_ms": "key pair, the private key encrypted",
    code: "keyed digest of the row, so that changes are detected"
  },
  columns(table) {
    addAscii(table, "key_id", 32).notNullable();
    addFixedAscii(table, "public_key", 43).notNullable();
    addAscii(table, "private_key", 512).nullable();
    table.bigInteger("created_at_ms").notNullable();
    table.primary(["key_id"]);
  },
  coded: { key: ["key_id"], fields: ["public_key", "private_key", "created_at_ms"] }
};

// src/store/tables/secrets-key.ts
var secrets_keys = {
  content: "check value of `SECRETS_KEY`",
  identifies: "nobody",
  retention: "until the key is replaced",
  erasure: "no data of people",
  readBy: [],
  about: { "name check_value since_ms": "check value and its time" },
  columns(table) {
    addAscii(table, "name", 16).notNullable();
    addFixedAscii(table, "check_value", 64).notNullable();
    table.bigInteger("since_ms").notNullable();
    table.primary(["name"]);
  }
};

// src/store/tables/service-runs.ts
var service_runs = {
  content: "times in which the service ran",
  identifies: "nobody",
  retention: "90 days after the end of the time",
  erasure: "no data of people",
  readBy: ["getHistory", "getSubjectSummary"],
  about: { "started_ms seen_ms": "start, and last sign of a process" },
  columns(table) {
    table.bigInteger("started_ms").notNullable();
    table.bigInteger("seen_ms").notNullable();
    table.primary(["started_ms"]);
  }
};

// src/store/tables/source-keys.ts
var source_keys = {
  content: "keys of the apps that post data of a person, as hashes, and connections of hubs",
  notice: "Which apps may send data about you",
  identifies: "person",
  retention: "until the key expires or is removed",
  expiry: { column: "expires_at_ms", maxAgeMs: 0 },
  erasesBySubject: { time: "created_at_ms" },
  erasure: "deleted",
  readBy: ["createSourceKey", "listSourceKeys"],
  about: {
    "account_id subject_id source time_zone": "whose data the key writes, of which app, and the zone of its local times",
    "source_key_id key_hash display_prefix": "key, as a hash and a prefix",
    signing_secret: "the secret with which a hub signs, encrypted with SECRETS_KEY",
    code: "keyed digest of the row, so that changes are detected",
    link_id: "the link through which the person created it",
    "maker_key_id created_at_ms expires_at_ms last_used_at_ms": "the API key that created it, and times. The last use is rounded to the hour",
    last_post: "the device of the newest post, and why samples of it were skipped"
  },
  columns(table) {
    addAscii(table, "account_id", 32).notNullable();
    addAscii(table, "source_key_id", 32).notNullable();
    addFixedAscii(table, "key_hash", 64).notNullable();
    addAscii(table, "display_prefix", 16).notNullable();
    addAscii(table, "subject_id", 256).nullable();
    addAscii(table, "source", 32).notNullable();
    addAscii(table, "time_zone", 64).nullable();
    addAscii(table, "signing_secret", 512).nullable();
    addAscii(table, "maker_key_id", 32).nullable();
    table.bigInteger("created_at_ms").notNullable();
    table.bigInteger("expires_at_ms").notNullable();
    table.bigInteger("last_used_at_ms").nullable();
    addAsciiJson(table, "last_post").nullable();
    table.primary(["account_id", "source_key_id"]);
  },
  added: { link_id: (table) => void addAscii(table, "link_id", 32).nullable() },
  // Without the link, without the last use, and without the secret: its encryption is bound to the row.
  coded: {
    key: ["account_id", "source_key_id"],
    fields: [
      ...["key_hash", "display_prefix", "subject_id", "source", "time_zone", "maker_key_id"],
      ...["created_at_ms", "expires_at_ms"]
    ]
  },
  unique: { source_keys_by_hash: ["key_hash"] },
  indexes: {
    source_keys_by_subject: ["account_id", "subject_id"],
    source_keys_by_maker: ["maker_key_id"],
    source_keys_by_expiry: ["expires_at_ms"]
  }
};

// src/store/tables/subject-hours.ts
var subject_hours = {
  content: "summaries of hours of a person",
  notice: "Summaries of your hours: time in each state, scores and heart rates",
  identifies: "person",
  retention: "RETENTION_SUMMARY_DAYS",
  expiry: { kind: "hours", column: "hour_ms" },
  erasure: "deleted",
  erasesBySubject: { batchKey: "hour_ms" },
  readBy: ["getSubjectSummary"],
  about: {
    "account_id subject_id": "account and person",
    hour_ms: "hour (UTC)",
    "calm_ms relaxed_ms focused_ms stressed_ms acute_stress_ms": "time in each state",
    "readings score_sum score_min score_max": "number of readings, and their scores",
    "heart_rates heart_rate_sum heart_rate_min heart_rate_max": "heart rates",
    topics: "names of topics"
  },
  columns: defineHours,
  indexes: { subject_hours_by_time: ["hour_ms"] }
};
function defineHours(table) {
  addAscii(table, "account_id", 32).notNullable();
  addAscii(table, "subject_id", 256).notNullable();
  table.bigInteger("hour_ms").notNullable();
  for (const state of ["calm", "relaxed", "focused", "stressed", "acute_stress"])
    table.integer(`${state}_ms`).notNullable();
  table.integer("readings").notNullable();
  table.integer("score_sum").nullable();
  table.specificType("score_min", "smallint").nullable();
  table.specificType("score_max", "smallint").nullable();
  table.integer("heart_rates").notNullable();
  table.double("heart_rate_sum").nullable();
  table.double("heart_rate_min").nullable();
  table.double("heart_rate_max").nullable();
  addAscii(table, "topics", 160).notNullable();
  table.primary(["account_id", "subject_id", "hour_ms"]);
}

// src/store/tables/subjects.ts
var subjectTables = {
  subjects: {
    content: "people: baseline, newest consent, stress of turns, names of active and resolved topics, live signals, alert times",
    notice: "Your usual heart rate, to compare with",
    identifies: "person",
    retention: "until the person is erased",
    erasure: "deleted",
    readBy: ["getSubject", "getConsent", "getState", "ingest", "ingestBatch"],
    about: {
      "account_id subject_id": "account and person",
      version: "internal id",
      body: "baseline of the heart, newest consent, names of topics, newest session, signals of the last minutes",
      live_until_ms: "time from which on none of these signals counts",
      alert_due_ms: "time at which alert rules are evaluated for the person"
    },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "subject_id", 256).notNullable();
      addAscii(table, "version", 12).notNullable();
      addAsciiJson(table, "body").nullable();
      table.bigInteger("live_until_ms").nullable();
      table.primary(["account_id", "subject_id"]);
    },
    // Null for a person whom no rule concerns before the next reading. Earlier releases keep it, as they keep the plan in `body`.
    added: { alert_due_ms: (table) => void table.bigInteger("alert_due_ms").nullable() },
    indexes: { subjects_by_live: ["live_until_ms"], subjects_by_alert: ["account_id", "alert_due_ms"] }
  },
  triggers: {
    content: "Trigger Memory: topics of a person and the stress around them",
    notice: "Names of topics that seem to stress you",
    identifies: "person",
    retention: "until the person is erased",
    erasure: "deleted",
    erasesBySubject: {},
    readBy: ["getTriggers", "getSubject"],
    about: {
      "account_id subject_id": "account and person",
      "topic status": "topic and its status",
      "recent_stress score_sum sightings peak_score sessions": "stress at the mentions, and their number",
      "measured_turns measured_sum measured_squares": "stress of the mentions, to compare with other turns",
      "last_seen_ms activation_at_ms activation_session_id": "times, and the session of the activation",
      "resolving_sightings status_changes": "progress and history of the status"
    },
    columns: defineTriggers,
    isClustered: true
  },
  erasures: {
    content: "erasures in progress",
    identifies: "person",
    retention: "until the readings of the session are erased",
    erasure: "created, and deleted at its end",
    readBy: [],
    about: { "account_id session_id incarnation": "session whose readings are being erased" },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "session_id", 256).notNullable();
      addFixedAscii(table, "incarnation", 12).notNullable();
      table.primary(["account_id", "session_id", "incarnation"]);
    }
  }
};
function defineTriggers(table) {
  addAscii(table, "account_id", 32).notNullable();
  addAscii(table, "subject_id", 256).notNullable();
  addAscii(table, "topic", 64).notNullable();
  addAscii(table, "status", 16).notNullable();
  table.double("recent_stress").notNullable();
  table.bigInteger("score_sum").notNullable();
  table.integer("sightings").notNullable();
  table.integer("peak_score").notNullable();
  table.integer("sessions").notNullable();
  table.bigInteger("last_seen_ms").notNullable();
  addAscii(table, "activation_session_id", 256).nullable();
  table.bigInteger("activation_at_ms").nullable();
  table.integer("resolving_sightings").nullable();
  table.double("measured_turns").nullable();
  table.double("measured_sum").nullable();
  table.double("measured_squares").nullable();
  addAsciiJson(table, "status_changes").notNullable();
  table.primary(["account_id", "subject_id", "topic"]);
}

// src/store/tables/usage-hours.ts
var usage_hours = {
  content: "load per account and hour",
  identifies: "nobody",
  retention: "48 hours",
  expiry: { column: "hour_ms", maxAgeMs: 48 * 36e5 },
  erasure: "no data of people",
  readBy: [],
  about: { "account_id hour_ms": "account and hour", "calls cpu_ms row_count bytes": "numbers" },
  columns(table) {
    addAscii(table, "account_id", 32).notNullable();
    table.bigInteger("hour_ms").notNullable();
    for (const column of ["calls", "cpu_ms", "row_count", "bytes"]) table.bigInteger(column).notNullable();
    table.primary(["account_id", "hour_ms"]);
  },
  indexes: { usage_hours_by_time: ["hour_ms"] }
};

// src/store/tables/usage.ts
var usageTables = {
  usage_months: {
    content: "calls per account and month",
    identifies: "nobody",
    retention: "without end",
    erasure: "no data of people",
    readBy: [],
    about: { "account_id month calls": "number of calls" },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addFixedAscii(table, "month", 7).notNullable();
      table.bigInteger("calls").notNullable();
      table.primary(["account_id", "month"]);
    }
  },
  // The retention that the last purge applied.
  applied_retention: {
    content: "retention of readings that the last purge applied",
    identifies: "nobody",
    retention: "without end",
    erasure: "no data of people",
    readBy: [],
    about: { "name value": "number of hours" },
    columns(table) {
      addAscii(table, "name", 64).notNullable();
      table.integer("value").notNullable();
      table.primary(["name"]);
    }
  }
};

// src/store/tables/webhooks.ts
var webhookTables = {
  webhooks: {
    content: "webhooks of the account",
    identifies: "person",
    retention: "until it is removed",
    erasure: "deleted if the webhook watches the person or one of their sessions",
    readBy: ["registerWebhook", "listWebhooks"],
    about: {
      account_id: "account",
      "subject_id session_id": "ids of the person and the session, chosen by the integrator",
      webhook_id: "webhook",
      "url body": "URL of the receiver, events, encrypted signing secret",
      "registered_epoch disabled_epoch locks": "internal numbers"
    },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "webhook_id", 32).notNullable();
      addAnyText(table, "url").notNullable();
      addAscii(table, "session_id", 256).nullable();
      addAscii(table, "subject_id", 256).nullable();
      table.bigInteger("registered_epoch").notNullable();
      table.bigInteger("disabled_epoch").nullable();
      table.bigInteger("locks").notNullable().defaultTo(0);
      addAnyText(table, "body").notNullable();
      table.primary(["account_id", "webhook_id"]);
    },
    indexes: {
      webhooks_by_session: ["account_id", "session_id"],
      webhooks_by_subject: ["account_id", "subject_id"]
    }
  },
  outbox: {
    content: "state changes that are not yet distributed to webhooks",
    identifies: "person",
    retention: "until the event is distributed, usually within 100 ms",
    erasure: "deleted",
    readBy: [],
    about: {
      account_id: "account",
      "subject_id session_id": "ids of the person and the session, chosen by the integrator",
      "seq epoch created_at_ms": "order and time of the event",
      payload: "the event: session, previous and new state, score, time"
    },
    columns(table) {
      addAscii(table, "account_id", 32).notNullable();
      addAscii(table, "session_id", 256).notNullable();
      table.bigInteger("seq").notNullable();
      addAscii(table, "subject_id", 256).nullable();
      addAsciiJson(table, "payload").notNullable();
      table.bigInteger("epoch").notNullable();
      table.bigInteger("created_at_ms").notNullable();
      table.primary(["account_id", "session_id", "seq"]);
    },
    indexes: {
      outbox_by_age: ["account_id", "created_at_ms", "session_id"],
      outbox_by_subject: ["account_id", "subject_id"]
    }
  },
  // The indexes without the account serve the worker, which finds due deliveries of all accounts.
  deliveries: {
    content: "deliveries of state changes to webhooks, with their attempts",
    notice: "Notices to other systems that your state changed",
    identifies: "person",
    retention: "RETENTION_DELIVERIES_DAYS",
    expiry: { kind: "deliveries", column: "settled_at_ms" },
    erasure: "deleted",
    readBy: ["listDeliveries", "getDelivery", "listFailedDeliveries"],
    about: {
      account_id: "account",
      "subject_id session_id": "ids of the person and the session, chosen by the integrator",
      "delivery_id webhook_id receiver owner": "delivery, webhook, receiver and process",
      "seq status reason due_at_ms settled_at_ms event_at_ms": "order, status and times",
      payload: "the event: session, previous and new state, score, time",
      attempts: "responses of the receiver, abridged"
    },
    columns: defineDeliveries,
    indexes: {
      deliveries_by_receiver: ["status", "receiver", "due_at_ms"],
      deliveries_by_line: ["account_id", "webhook_id", "session_id", "status", "seq"],
      deliveries_by_webhook: ["account_id", "webhook_id", "status", "settled_at_ms", "delivery_id"],
      deliveries_by_session: ["account_id", "session_id", "status", "settled_at_ms", "delivery_id"],
      deliveries_by_subject: ["account_id", "subject_id"],
      deliveries_by_failure: ["account_id", "status", "settled_at_ms", "delivery_id"],
      deliveries_by_settlement: ["settled_at_ms"],
      deliveries_by_event: ["account_id", "webhook_id", "status", "event_at_ms", "delivery_id"]
    }
  },
  idempotency_keys: {
    content: "responses to requests with an `Idempotency-Key`, encrypted",
    identifies: "person",
    retention: `${idempotency.retention_hours} hours. Secrets: ${idempotency.secret_minutes} minutes`,
    expiry: { column: "created_at_ms", maxAgeMs: idempotency.retention_hours * 36e5 },
    erasure: "deleted",
    readBy: ["registerWebhook", "rotateWebhookSecret", "testWebhook"],
    about: {
      account_id: "account",
      "subject_id session_id": "ids of the person and the session, chosen by the integrator",
      "key_digest request_digest": "hashes of the key and the request",
      "owner lease_until_ms created_at_ms": "process and times",
      "response secret": "response, encrypted"
    },
    columns: defineIdempotencyKeys,
    indexes: {
      idempotency_keys_by_age: ["created_at_ms"],
      idempotency_keys_by_account: ["account_id", "created_at_ms"],
      idempotency_keys_by_session: ["account_id", "session_id"],
      idempotency_keys_by_subject: ["account_id", "subject_id"]
    }
  }
};
function defineDeliveries(table) {
  addAscii(table, "account_id", 32).notNullable();
  addAscii(table, "delivery_id", 32).notNullable();
  addAscii(table, "webhook_id", 32).notNullable();
  addAscii(table, "session_id", 256).notNullable();
  addAscii(table, "subject_id", 256).nullable();
  table.bigInteger("seq").nullable();
  addFixedAscii(table, "receiver", 16).notNullable();
  addAscii(table, "status", 10).notNullable();
  addAscii(table, "reason", 24).nullable();
  addAsciiJson(table, "payload").notNullable();
  addAnyText(table, "attempts").notNullable();
  table.bigInteger("due_at_ms").notNullable();
  addFixedAscii(table, "owner", 16).nullable();
  table.bigInteger("settled_at_ms").nullable();
  table.bigInteger("event_at_ms").notNullable();
  table.primary(["account_id", "delivery_id"]);
}
function defineIdempotencyKeys(table) {
  addAscii(table, "account_id", 32).notNullable();
  addFixedAscii(table, "key_digest", 64).notNullable();
  addFixedAscii(table, "request_digest", 64).notNullable();
  addFixedAscii(table, "owner", 16).notNullable();
  table.bigInteger("lease_until_ms").notNullable();
  addAscii(table, "session_id", 256).nullable();
  addAscii(table, "subject_id", 256).nullable();
  addAsciiJson(table, "response").nullable();
  addAscii(table, "secret", 256).nullable();
  table.bigInteger("created_at_ms").notNullable();
  table.primary(["account_id", "key_digest"]);
}

// src/store/tables/index.ts
var tables = {
  ...accountTables,
  ...sessionTables,
  ...subjectTables,
  ...webhookTables,
  ...usageTables,
  usage_hours,
  secrets_keys,
  erased_ids,
  subject_hours,
  ...accessTables,
  receipt_keys,
  feedback,
  consents,
  source_keys,
  person_links,
  ...alertTables,
  service_runs,
  facts
};
function findTables(matches) {
  return Object.entries(tables).flatMap(([name, it]) => matches(it) ? [{ name, ...it }] : []);
}

// src/store/people.ts
var tables2 = findTables((it) => listColumns(it).includes("subject_id")).map(({ name }) => name);

// src/store/retry.ts
var pausesMs = [20, 40, 80, 160];
var conflictPausesMs = [...pausesMs, 320, 320, 320];
var conflictCodes = ["ER_LOCK_DEADLOCK", "ER_TRANSACTION_ROLLBACK_DURING_COMMIT"];
var transientCodes = /* @__PURE__ */ new Set([
  ...conflictCodes,
  "ER_LOCK_WAIT_TIMEOUT",
  // Another process of a version that can use the schema may respond.
  "SCHEMA_REFUSED",
  // Galera: the node has no majority of the cluster, or is not yet synchronized.
  "ER_UNKNOWN_COM_ERROR",
  "ER_ERROR_DURING_COMMIT",
  // Group replication: the member has no majority of the group.
  "ER_RUN_HOOK_ERROR",
  "ER_SERVER_SHUTDOWN",
  "ER_CON_COUNT_ERROR",
  "ER_TOO_MANY_USER_CONNECTIONS",
  "ER_CLIENT_INTERACTION_TIMEOUT",
  "ER_QUERY_INTERRUPTED",
  "ER_CONNECTION_KILLED",
  "PROTOCOL_CONNECTION_LOST",
  "PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "EPIPE",
  "ETIMEDOUT"
]);

// src/store/row-codes.ts
var codedTables = findTables(({ coded }) => coded !== void 0).flatMap(
  ({ name, coded }) => coded ? [{ name, ...coded }] : []
);

// src/store/consents.ts
var consentFormat = createRowFormat("consent");

// src/store/subjects.ts
var liveStepMs = 10 * 6e4;

// src/readings/consent.ts
function applyConsent({ subjects, nowMs }, session, reading, check) {
  const subjectId = session?.subjectId ?? reading.subjectId;
  if (subjectId === void 0) return refuse("no_subject");
  const subject = subjects.get(subjectId);
  if (!subject?.consent) return refuse("not_recorded");
  if (subject.consent.isUnverified) return refuse("unverified");
  if (isExpired(subject.consent, nowMs)) return refuse("expired");
  const allowed = readAllowed(subject.consent, check.hasPurpose, nowMs);
  const { kept, dropped } = keepAllowed(reading.signals, allowed);
  if (listCategories(kept).length === 0) return refuse("nothing_left");
  subjects.set(subjectId, keepAllowedValues(subject, allowed));
  const isTextKept = check.isTextRead && allowed.has("textual");
  const all = isTextKept ? dropped : [...dropped, ...check.texts];
  const { turn: _, ...values } = reading;
  return {
    reading: isTextKept ? { ...reading, signals: kept } : { ...values, signals: kept },
    session: session && removeLiveValues(session, allowed),
    ...all.length > 0 && { dropped: all }
  };
}
function keepAllowedValues(subject, allowed) {
  const { baseline, live, turns } = subject;
  const isFollowed = allowed.has("cardiovascular") && allowed.has("textual");
  return {
    ...subject,
    turns: isFollowed ? turns : turns?.all && { all: turns.all },
    baseline: allowed.has("cardiovascular") ? baseline : void 0,
    live: live && keepAllowedLive(live, allowed)
  };
}
function refuse(reason) {
  return new ProblemError("consent_required", { explanation: { reason: consent.refusals[reason] } });
}

// src/readings/covering.ts
var minuteMs = 6e4;
var levels = enums.ActivityLevel;
var allCategories2 = new Set(enums.ConsentCategory);
var left = {
  no_heart: new Set([...allCategories2].filter((it) => it !== "cardiovascular")),
  nothing: /* @__PURE__ */ new Set(["movement"])
};
function isMinute({ isBackfill, sample }) {
  return isBackfill === true && sample !== void 0;
}
function findCovering(facts2, atMs, isWholeMinute) {
  const untilMs = atMs + (isWholeMinute ? minuteMs : 1);
  const covering = facts2.filter((it) => it.startMs < untilMs && it.untilMs > atMs);
  const has = (...kinds) => covering.some(({ kind }) => kinds.includes(kind));
  if (has("other_person", "invalid")) return "nothing";
  if (has("not_worn")) return "no_heart";
  const ranks = covering.map(({ kind, level = "vigorous" }) => kind === "exercise" ? levels.indexOf(level) : -1);
  return levels[Math.max(-1, ...ranks)] ?? (has("rest", "sleep") ? "resting" : void 0);
}
function coverSignals(signals3, covering) {
  if (covering === "no_heart" || covering === "nothing") return keepAllowed(signals3, left[covering]).kept;
  const { steps_last_minute: _, ...others } = signals3;
  return { ...others, activity_level: covering };
}
function findCoveringOf({ facts: facts2, subjects, nowMs }, session, submitted) {
  const subjectId = session?.subjectId ?? submitted.subjectId;
  const own = facts2 && subjectId !== void 0 ? facts2.get(subjectId) : void 0;
  if (!own || subjectId === void 0) return void 0;
  const { consent: consent2, signals: signals3, timestampMs } = submitted;
  const given = subjects.get(subjectId)?.consent;
  if (consent2 && !(given && readAllowed(given, consent2.hasPurpose, nowMs).has("movement"))) return void 0;
  return chooseCovering(signals3, findCovering(own, timestampMs, isMinute(submitted)));
}
function chooseCovering(signals3, covering) {
  const isOfMovement = covering !== "no_heart" && covering !== "nothing";
  return isOfMovement && signals3.activity_level !== void 0 ? void 0 : covering;
}
function coverReading({ reading, session, ...allowed }, covering) {
  const signals3 = coverSignals(reading.signals, covering);
  const isVoid = covering === "no_heart" || covering === "nothing";
  return {
    ...allowed,
    reading: { ...reading, signals: signals3 },
    session: session && isVoid ? removeLiveValues(session, left[covering]) : session
  };
}
function coverSharing(sharing, covering) {
  if (!sharing?.live || covering !== "no_heart" && covering !== "nothing") return sharing;
  return { ...sharing, live: keepAllowedLive(sharing.live, left[covering]) };
}
function keepStated(step, stated, covering, session) {
  const measured = listMeasured(stated, session);
  return { ...step, point: { ...step.point, measured }, computed: { ...step.computed, covered: covering } };
}
function listMeasured(stated, session) {
  return toPoint(addDerivedVariability(stated, session?.intervals ?? []), 0, 0).measured;
}
function scoreMinute(step, reading, known) {
  const { computed, point } = advanceSession(void 0, reading, known, { isPast: true });
  return { ...step, computed, point };
}
function coverStored(measured, atMs, covering) {
  const { rr_intervals_ms: _, ...values } = measured;
  const signals3 = covering ? coverSignals(values, covering) : values;
  return { reading: { ...signals3, atMs }, measured, ...covering && { covering } };
}

// packages/score/only-session.ts
function collectLive(session, sessionId, fromMs, known) {
  const { signals: signals3, latest, recent, implied, movement, stated } = session;
  const mark = (sample) => sample && sample.atMs >= fromMs ? { ...sample, sessionId } : void 0;
  const atMs = latest.timestampMs;
  const typical = computeTypicalValues(known, atMs, signals3);
  const { heart } = processHeartRate(session, { atMs }, signals3, typical.heart_rate);
  const last = recent?.slots.at(-1);
  const before = last && { value: Math.round(last.bpm), atMs: last.atMs };
  const heart_rate = mark(heart?.isConfirmed === false ? before : signals3.heart_rate);
  const shared = Object.fromEntries(signalNames.map((name) => [name, mark(signals3[name])]));
  return {
    signals: { ...shared, heart_rate },
    ...heart_rate && heart && { heart: toShared(heart), implied },
    movement: mark(movement),
    stated: mark(stated)
  };
}
function findOnlySender({ signals: signals3, movement, stated }, sessionId) {
  const samples = [...Object.values(signals3), movement, stated].filter((sample) => sample !== void 0);
  if (samples.length === 0 || samples.some((sample) => sample.sessionId !== sessionId)) return void 0;
  return Math.min(...samples.map(({ atMs }) => atMs));
}

// packages/score/response.ts
function followTurns(before = {}, reading, said) {
  const heartAtMs = reading.heartRate === void 0 ? before.heartAtMs : Math.max(before.heartAtMs ?? 0, reading.atMs);
  const open = (before.open ?? []).map(
    (turn, index, all) => isOver(turn, all[index + 1], reading) ? turn : addResponse(turn, reading, before.heartAtMs)
  );
  if (said) open.push(startTurn(said, reading));
  const isEarlier = (index) => index < open.length - turnResponse.open_max;
  const complete = open.filter(
    (turn, index) => isEarlier(index) || isOver(turn, open[index + 1], reading) || isComplete(turn, reading)
  );
  const rest = open.filter((turn) => !complete.includes(turn));
  return finishTurns(before.all, complete, rest, heartAtMs);
}
function endTurns({ open = [], heartAtMs, all }, atMs) {
  const isEarlier = (turn) => turn.atMs <= atMs;
  return finishTurns(
    all,
    open.filter(isEarlier),
    open.filter((turn) => !isEarlier(turn)),
    heartAtMs
  );
}
function finishTurns(sums, complete, open, heartAtMs) {
  const finished = complete.map(finishTurn);
  const all = addStress(sums, finished);
  return { turns: open.length > 0 ? { open, heartAtMs, all } : { all }, finished };
}
function startTurn(said, { atMs, sessionId, level, fused }) {
  return { atMs, sessionId, ...said, expressed: round3(fused.expressed), levelBpm: round3(level?.bpm ?? 0) };
}
function isOver({ response }, next, { atMs }) {
  return response !== void 0 && next !== void 0 && atMs > next.atMs + turnResponse.level_until_seconds * 1e3;
}
function addResponse(turn, reading, heartAtMs) {
  const { atMs, heartRate, level, fused, sessionId, isShared } = reading;
  const beforeMs = Math.max(heartAtMs ?? 0, turn.atMs);
  if (heartRate === void 0 || atMs <= beforeMs || !(isShared || sessionId === turn.sessionId)) return turn;
  const since = (atMs - turn.atMs) / 1e3;
  if (since <= turnResponse.level_until_seconds) return level ? { ...turn, levelBpm: round3(level.bpm) } : turn;
  if (since <= turnResponse.from_seconds || since > turnResponse.until_seconds) return turn;
  const elapsed = Math.min(since - turnResponse.from_seconds, (atMs - beforeMs) / 1e3);
  const duration = Math.min(turnResponse.reading_seconds_max, elapsed);
  const still = (1 - fused.explained) * duration;
  const { seconds, stillSeconds, bpmSeconds } = turn.response ?? noResponse;
  const response = {
    seconds: round3(seconds + duration),
    stillSeconds: round3(stillSeconds + still),
    bpmSeconds: round3(bpmSeconds + still * heartRate)
  };
  return { ...turn, response };
}
var noResponse = { seconds: 0, stillSeconds: 0, bpmSeconds: 0 };
function isComplete(turn, reading) {
  if (reading.atMs - turn.atMs >= turnResponse.until_seconds * 1e3) return true;
  return turn.atMs === reading.atMs && turn.sessionId === reading.sessionId && !reading.level;
}
function finishTurn(turn) {
  const { expressed, levelBpm, response = noResponse, ...said } = turn;
  const { seconds, stillSeconds, bpmSeconds } = response;
  const bpm = stillSeconds > 0 ? bpmSeconds / stillSeconds - levelBpm : 0;
  const { log_odds_per_bpm, log_odds_max } = turnResponse;
  const heart = Math.min(log_odds_max, Math.max(-log_odds_max, log_odds_per_bpm * bpm));
  const measured = round3(toStressValue(expressed + heart));
  const weight = seconds > 0 ? stillSeconds / seconds : 1;
  const settle3 = bpm >= heartRise.rise_bpm ? Math.max : Math.min;
  const isMeasured = seconds > 0;
  const settled2 = isMeasured ? settle3(said.stress, Math.round(measured)) : said.stress;
  return { ...said, measured, weight, isMeasured, settled: settled2 };
}
function addStress(sums, turns) {
  return turns.reduce((before, { measured, weight }) => {
    const { turns: turns2, sum, squares } = before ?? { turns: 0, sum: 0, squares: 0 };
    return {
      turns: round3(turns2 + weight),
      sum: round3(sum + weight * measured),
      squares: round3(squares + weight * measured ** 2)
    };
  }, sums);
}
function raiseOpenTurn(turns, raised, sessionId) {
  const isRaised2 = (it) => it.atMs === raised.atMs && it.sessionId === sessionId;
  return { ...turns, open: turns.open?.map((it) => isRaised2(it) ? { ...it, stress: raised.stress } : it) };
}

// packages/score/triggers.ts
var activeFrom = findLowestScore(triggers.active_from_state);
var activeAtOnceFrom = findLowestScore(triggers.active_at_once_from_state);
var resolvedBelow = findLowestScore(triggers.resolved_below_state);
function findLowestScore(state) {
  return bands.find((band) => band.state === state)?.min_score ?? 0;
}
var unknownSubject = {};

// src/readings/person.ts
function createPerson(progress, subjectId) {
  const find = () => progress.subjects.get(subjectId);
  const change = (subject) => {
    progress.subjects.set(subjectId, subject);
    progress.changedSubjects.set(subjectId, subject);
  };
  return {
    findBaseline: () => find()?.baseline,
    /** Adds the signals of the only session to the person, before the first reading of another session. */
    addOnlySession(reading) {
      const subject = find();
      const onlyId = findOnlySession(subject, reading);
      if (!subject?.newest || onlyId === void 0) return;
      const { sharedFromMs = 0, ...newest } = subject.newest;
      const other = progress.sessions.get(onlyId)?.session ?? progress.others?.get(onlyId);
      const isOfPerson = other && other.subjectId === subjectId && !other.isBackfilled;
      const live = isOfPerson ? collectLive(other, onlyId, sharedFromMs, subject.baseline) : noLiveSignals;
      progress.subjects.set(subjectId, { ...subject, newest, live });
    },
    /**
     * Returns the live signals of the person, for a reading that shares them. A token without the person neither gets the
     * evidence of other sessions nor its traces.
     */
    findSharing({ sessionId, timestampMs, sharesSignals, isBackfill, grant }) {
      if (sharesSignals === false || isBackfill) return void 0;
      const isRead = knowsPerson(grant, subjectId);
      const { live, newest } = find() ?? unknownSubject;
      const isOnly = !newest || newest.sessionId === sessionId || newest.atMs <= timestampMs;
      return { live: live ?? (isOnly ? void 0 : noLiveSignals), sessionId, isRead };
    },
    /** Remembers what the reading changes: baseline, live signals and newest session. */
    remember(submitted, { session, baseline, live }, sharing) {
      const known = find() ?? unknownSubject;
      const newest = findNewest2(known.newest, submitted, session);
      const sharedFromMs = newest && sharing && findSharedFrom(known, newest, live, submitted);
      const shared = newest && sharedFromMs !== void 0 ? { newest: { ...newest, sharedFromMs }, live: void 0 } : { newest, live: live ?? known.live };
      change({ ...known, baseline, ...shared });
    },
    /** Follows the turns. Returns the turns that are complete with this reading. */
    follow({ sessionId, timestampMs: atMs, signals: signals3, turn, isBackfill, check }, { fused, point }, said) {
      const { topics: topics2, calmTopics, credit, calm, isShared } = said;
      const subject = find();
      if (!subject || !fused || isBackfill) return [];
      if (!turn && !subject.turns?.open) return [];
      const isRaised2 = credit?.before !== void 0;
      const before = isRaised2 && subject.turns ? raiseOpenTurn(subject.turns, credit, sessionId) : subject.turns;
      const observed = { atMs, sessionId, heartRate: signals3.heart_rate, level: fused.level, fused, isShared };
      const stress = (isRaised2 ? calm : credit ?? calm)?.stress ?? point.score;
      const started = turn && point.confidence > 0 ? { topics: topics2, calmTopics, stress } : void 0;
      const isEnded = check?.danger && before;
      const { turns, finished } = isEnded ? endTurns(before, atMs) : followTurns(before, observed, started);
      change({ ...subject, turns });
      return finished;
    }
  };
}
function findOnlySession(subject, { sessionId, timestampMs, sharesSignals, isBackfill }) {
  const newest = subject?.newest;
  if (newest?.sharedFromMs === void 0 || newest.sessionId === sessionId) return void 0;
  return sharesSignals === false || isBackfill || !isFresh(newest, timestampMs) ? void 0 : newest.sessionId;
}
function findSharedFrom(known, { sessionId }, live, reading) {
  if (sessionId !== reading.sessionId) return void 0;
  if (live) return findOnlySender(live, sessionId);
  if (known.live) return void 0;
  const { sharedFromMs = Infinity } = known.newest?.sessionId === sessionId ? known.newest : {};
  return Math.min(sharedFromMs, reading.timestampMs);
}
function findNewest2(newest, { sessionId, timestampMs, isBackfill }, { latest }) {
  if (isBackfill || newest && timestampMs < newest.atMs && latest.timestampMs <= newest.atMs) return newest;
  return { sessionId, atMs: latest.timestampMs };
}

// packages/score/summary.ts
var hourMs = 36e5;
var stateMs = summaries.state_seconds_max * 1e3;
function floorHour(ms) {
  return Math.floor(ms / hourMs) * hourMs;
}

// src/store/readings.ts
var latenessMaxMs = 6e4;
var aheadMaxMs = timestamps.max_ahead_seconds * 1e3;
var nearMaxMs = Math.max(latenessMaxMs, aheadMaxMs);
var computedColumns = [
  "timestamp_ms",
  "stress_score",
  "confidence",
  "model_version",
  "previous_score",
  "signals",
  "response"
];
var insertedColumns = ["account", "position", "incarnation", "digest", ...computedColumns, "state_change"];

// src/store/samples.ts
var replacedRows = { table: "session_readings", columns: [...insertedColumns, "moved_to"] };
var replacedColumns = "digest stress_score confidence model_version signals response moved_to".split(" ");
function toHourKey(subjectId, timestampMs) {
  return `${subjectId} ${floorHour(timestampMs)}`;
}

// src/readings/samples.ts
function findSample({ samples }, reading) {
  return samples?.known.get(toSampleKey(reading));
}
function keepSample({ samples }, sample, submitted, subjectId) {
  if (sample.timestampMs !== submitted.timestampMs) return refuse2(mismatch());
  if (isKept(sample, submitted)) return { kind: "kept", of: sample.reading };
  if (submitted.grant && !submitted.sample.isSourced)
    return refuse2(new ProblemError("invalid_token", { cause: "a token replaces no reading" }));
  if (subjectId !== void 0 && samples?.storedHours.has(toHourKey(subjectId, sample.timestampMs)))
    return refuse2(new ProblemError("sample_too_old"));
  return void 0;
}
function isKept({ digests, revision, isSourced }, { sample, digest, earlierDigests = [] }) {
  const isResend = [digest, ...earlierDigests].some((it) => digests.has(it));
  return isResend || sample.revision < revision || sample.isSourced === true && !isSourced;
}
function rememberSample({ samples }, { sample, timestampMs, digest, ...reading }, incarnation, of) {
  const key = toSampleKey({ ...reading, sample });
  const before = samples?.known.get(key);
  const digests = /* @__PURE__ */ new Set([...before?.digests ?? [], digest]);
  const isSourced = sample.isSourced === true && (before?.isSourced ?? true);
  const { revision } = sample;
  samples?.known.set(key, { incarnation, key: sample.key, timestampMs, revision, digests, isSourced, reading: of });
}
function toSampleKey({ sessionId, sample }) {
  return `${sessionId} ${sample.key}`;
}
function refuse2(refusal) {
  return { kind: "refused", refusal };
}
function mismatch() {
  return new ProblemError("validation_failed", { faults: [createFault("sample_mismatch", { pointer: "/sample_id" })] });
}

// src/readings/advance.ts
function beginProgress(found) {
  const changes = { taken: /* @__PURE__ */ new Map(), changedSessions: /* @__PURE__ */ new Map(), changedSubjects: /* @__PURE__ */ new Map() };
  return { ...found, ...changes, subjects: new Map(found.subjects) };
}
function processReading(progress, submitted) {
  const stored = requireSession(progress.sessions, submitted.sessionId);
  const refusal = checkGate(progress, stored.session, submitted);
  if (refusal) return { kind: "refused", refusal };
  const key = toReadingKey(submitted);
  const computed = progress.alreadyStored.get(key);
  if (computed) return { kind: "stored", computed };
  const same = progress.taken.get(key);
  if (same) return { kind: "same", as: same };
  return hasSample(submitted) ? processSample(progress, submitted, stored) : processNew(progress, submitted, stored);
}
function checkGate(progress, session, submitted) {
  if (isOutsideGrant(progress, session, submitted)) return new ProblemError("invalid_token");
  const isForeign = session !== void 0 && isHidden(submitted.grant, session.subjectId);
  if (isForeign || isOtherSubject(session, submitted)) return subjectMismatch();
  return isOfErased(progress, session, submitted) ? new ProblemError("subject_erased") : void 0;
}
var hasSample = (reading) => reading.sample !== void 0;
function processSample(progress, submitted, stored) {
  const { incarnation, session } = stored;
  const sample = findSample(progress, submitted);
  if (!sample) {
    const processed = processNew(progress, submitted, stored);
    if (processed.kind === "taken") rememberSample(progress, submitted, incarnation, processed);
    return processed;
  }
  const kept = keepSample(progress, sample, submitted, session?.subjectId);
  if (kept) return kept;
  const allowed = keepAllowedPart(progress, session, submitted);
  if (allowed instanceof ProblemError) return { kind: "refused", refusal: allowed };
  rememberSample(progress, submitted, incarnation, sample.reading);
  return replaceReading2(progress, allowed, incarnation, sample.reading);
}
function processNew(progress, submitted, { incarnation, session }) {
  const person = findPerson(progress, session, submitted);
  person?.addOnlySession(submitted);
  const allowed = keepAllowedPart(progress, session, submitted);
  if (allowed instanceof ProblemError) return { kind: "refused", refusal: allowed };
  const taken = takeReading(progress, allowed, incarnation, person);
  progress.taken.set(toReadingKey(submitted), taken);
  return taken;
}
function keepAllowedPart(progress, session, reading) {
  const { consent: consent2 } = reading;
  return consent2 ? applyConsent(progress, session, reading, consent2) : { reading, session };
}
function findPerson(progress, session, { subjectId: named }) {
  const subjectId = session?.subjectId ?? named;
  return subjectId === void 0 ? void 0 : createPerson(progress, subjectId);
}
function replaceReading2(progress, { reading: submitted, session, dropped }, incarnation, of) {
  const baseline = findPerson(progress, session, submitted)?.findBaseline() ?? session?.baseline;
  const stated = toReading(submitted);
  const covering = findCoveringOf(progress, session, submitted);
  const covered = covering ? { ...coverStored(listMeasured(stated, void 0), stated.atMs, covering) } : { reading: stated };
  const scored = { ...covered, baseline, isMinute: isMinute(submitted) };
  return { kind: "replaced", submitted, incarnation, of, scored, dropped };
}
var noTopics = { topics: [], certainTopics: [], calmTopics: [], evidence: void 0 };
var noCredit = { talk: void 0, credit: void 0, calm: void 0 };
function takeReading(progress, allowed, incarnation, person) {
  const covering = findCoveringOf(progress, allowed.session, allowed.reading);
  const { reading: submitted, session, dropped } = covering ? coverReading(allowed, covering) : allowed;
  const { sessionId, turn, isBackfill } = submitted;
  const shared = person?.findSharing(submitted);
  const sharing = covering ? coverSharing(shared, covering) : shared;
  const known = person?.findBaseline() ?? allowed.session?.baseline;
  const alone = stepSession(session, toReading(submitted), known, submitted, sharing);
  const step = covering ? keepStated(alone, toReading(allowed.reading), covering, allowed.session) : alone;
  const { evidence, ...said } = turn ? gatherTopics(session?.topicEvidence, turn) : noTopics;
  const event = isBackfill ? void 0 : detectChange(progress, sessionId, session, step.session);
  const { talk, ...credited } = creditTurn(session, submitted, step, said);
  person?.remember(submitted, step, sharing);
  const isShared = sharing?.isRead === true;
  const finished = person?.follow(submitted, step, { ...said, ...credited, isShared }) ?? [];
  const measured = finished.filter((it) => it.sessionId === sessionId);
  const numbered = { ...step.session, talk: talk && closeTurns(talk, measured), ...event && { eventSeq: event.seq } };
  const advanced = { incarnation, session: evidence ? { ...numbered, topicEvidence: evidence } : numbered };
  progress.sessions.set(sessionId, advanced);
  progress.changedSessions.set(sessionId, advanced);
  const stepped = dropped ? { ...step, computed: { ...step.computed, dropped } } : step;
  return { kind: "taken", submitted, incarnation, step: stepped, topics: said.topics, ...credited, finished, event };
}
function creditTurn(session, { turn, check, timestampMs: atMs }, { fused, point }, said) {
  if (!turn && !session?.talk || check?.danger) return noCredit;
  const topics2 = point.confidence > 0 ? said : noTopics;
  return creditTopics(session?.talk, { atMs, heartRate: fused?.heartRate, fused }, topics2, point.score);
}
function isOutsideGrant({ erasedAtMs }, session, { grant, sessionId, subjectId }) {
  if (!grant) return false;
  if (!mayName(grant, subjectId, session?.subjectId)) return true;
  const subjects = [subjectId, session?.subjectId].filter((id) => id !== void 0);
  const ids = [
    { kind: "session", id: sessionId },
    ...subjects.map((id) => ({ kind: "subject", id }))
  ];
  return ids.some((id) => isBeforeErasure(grant, erasedAtMs(id)));
}
function isOfErased({ erasedAtMs }, session, { isLiveTurn, subjectId, timestampMs }) {
  const id = session?.subjectId ?? subjectId;
  return isLiveTurn === true && id !== void 0 && timestampMs <= erasedAtMs({ kind: "subject", id });
}
function stepSession(session, reading, known, { isBackfill, sample }, sharing) {
  if (isBackfill) {
    const step = backfillSession(session, reading, known);
    return isMinute({ isBackfill, sample }) ? scoreMinute(step, reading, known) : step;
  }
  if (session?.isBackfilled) return startLiveState(session, reading, known, { sharing });
  return advanceSession(session, reading, known, { sharing });
}
function detectChange({ nowMs }, sessionId, before, after) {
  const payload = findChange(sessionId, before?.isBackfilled ? void 0 : before, after);
  return payload && { sessionId, seq: computeNextSeq(before, nowMs), subjectId: after.subjectId, payload };
}
function toReading({ signals: signals3, subjectId, timestampMs, unreadText }) {
  const optional = { ...subjectId !== void 0 && { subjectId }, ...unreadText && { unreadText } };
  return { ...signals3, atMs: timestampMs, ...optional };
}
function requireSession(sessions, sessionId) {
  const stored = sessions.get(sessionId);
  if (!stored) throw new Error("a session of the group was not locked");
  return stored;
}
function toReadingKey({ sessionId, digest }) {
  return `${sessionId} ${digest}`;
}
function subjectMismatch() {
  return new ProblemError("subject_mismatch", {
    faults: [createFault("subject_mismatch", { pointer: "/subject_id" })]
  });
}
export {
  beginProgress,
  processReading
};
