// Generated from openapi.yaml by `npm run generate`. Edit that file instead.

export const body = {
  "max_bytes": 4096
} as const;

export const validation = {
  "errors_max": 20,
  "request_errors_max": 200
} as const;

export const batch = {
  "lines_max": 1000,
  "max_bytes": 1048576,
  "in_progress_max": 16,
  "receiving_bytes_max": 67108864,
  "refused_retry_seconds": 1
} as const;

export const connections = {
  "queued_responses_max": 16
} as const;

export const timestamps = {
  "max_age_seconds": 300,
  "max_ahead_seconds": 60
} as const;

export const bands = [
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
] as const;

export const raised = {
  "stress": {
    "reason": "without a step in ten minutes"
  },
  "exertion": {
    "reason": "it rises as in exertion",
    "recommendation": "Do not speak of stress: the heart rate rises as in exertion."
  },
  "recovery": {
    "reason": "it falls as after exertion",
    "recommendation": "Do not speak of stress: the heart rate falls as after exertion."
  },
  "all_day": {
    "reason": "raised for most of the day: heat, a short night or exertion are possible, too",
    "recommendation": "Do not speak of stress: heat, a short night or exertion are possible, too."
  },
  "waking": {
    "reason": "soon after sleep: getting up is possible, too",
    "recommendation": "Do not speak of stress: getting up is possible, too."
  },
  "unknown": {
    "reason": "the cause is unknown: exertion, heat or joy are possible, too",
    "recommendation": "Do not speak of stress: exertion, heat or joy are possible, too."
  }
} as const;

export const history = {
  "trend_threshold_points": 5,
  "trend_min_datapoints": 3,
  "datapoints_max": 10000
} as const;

export const triggers = {
  "newest_weight": 0.5,
  "other_turns_min": 10,
  "active_from_state": "stressed",
  "active_at_once_from_state": "acute_stress",
  "resolved_below_state": "focused",
  "resolving_sightings": 2,
  "resolving_turns": 4,
  "resolving_area_turns_named": 2,
  "resolving_area_turns": 5,
  "resolving_hours": 48,
  "status_changes_max": 20
} as const;

export const webhookDelivery = {
  "max_per_account": 100,
  "retry_after_seconds": [
    1,
    4,
    16
  ],
  "extended_retry": {
    "growth": 3,
    "min_seconds": 1,
    "max_seconds": 3600,
    "jitter": 0.2,
    "hours": 24,
    "recovery_seconds": 60,
    "attempts_kept": 4
  },
  "failed_after_attempts": 3,
  "attempt_timeout_seconds": 10,
  "answer_kept_bytes": 1024,
  "rotation_hours": 24,
  "page_size": 50,
  "retry_max": 1000,
  "queued_count_max": 1000,
  "queued_max": 100000,
  "queue_full_step": 1000,
  "test_event": {
    "session_id": "webhook-test",
    "previous_state": "focused",
    "new_state": "stressed",
    "stress_score": 64
  }
} as const;

export const alerts = {
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
} as const;

export const stream = {
  "heartbeat_seconds": 15,
  "stall_seconds": 30,
  "retry_ms": [
    1000,
    5000
  ],
  "page_events": 100,
  "refused_retry_seconds": 10,
  "subscription_sessions_max": 100
} as const;

export const sessionTokens = {
  "expires_in_seconds": 600,
  "erasure_seconds": 3660
} as const;

export const sessionList = {
  "page_size": 50,
  "snapshot_sessions_max": 10000
} as const;

export const subjectProfile = {
  "sessions_counted_max": 1000
} as const;

export const consent = {
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
} as const;

export const idempotency = {
  "retention_hours": 24,
  "secret_minutes": 60,
  "keys_max": 1000,
  "lease_seconds": 60
} as const;

export const dataExport = {
  "page_rows": 500,
  "refused_retry_seconds": 5
} as const;

export const summaries = {
  "state_seconds_max": 300,
  "page_intervals": 1000,
  "page_readings": 100000,
  "default_days": {
    "hour": 7,
    "day": 30
  },
  "topics_max": 5,
  "grace_seconds": 300
} as const;

export const retention = {
  "readings_hours": 192,
  "idle_sessions_hours": 192,
  "earlier_hours": 24,
  "settled_deliveries_days": 7,
  "summary_days": 90,
  "access_days": 365,
  "feedback_days": 365,
  "erasure_days": 400
} as const;

export const feedback = {
  "stressed_from": 5,
  "page_size": 500,
  "reports_max": 10000,
  "person_minute_reports_max": 1,
  "person_day_reports_max": 60,
  "reports_min": 20,
  "side_reports_min": 5,
  "groups_min": 5,
  "band_reports_min": 5,
  "interval_z": 1.959964
} as const;

export const facts = {
  "per_subject_max": 10000,
  "page_size": 500,
  "hours_max": {
    "exercise": 24,
    "rest": 24,
    "sleep": 16,
    "not_worn": 24,
    "other_person": 24,
    "invalid": 24
  },
  "open_hours": {
    "exercise": 4,
    "rest": 4,
    "sleep": 16,
    "not_worn": 24,
    "other_person": 24,
    "invalid": 24
  },
  "disputes": {
    "hours_max": 6,
    "per_day_max": 20,
    "source": "person",
    "counted_people_min": 5
  }
} as const;

export const devices = {
  "per_subject_max": 100,
  "continues_seconds": 300
} as const;

export const accessRecord = {
  "page_size": 100
} as const;

export const sources = {
  "key_prefix": "wk_",
  "keys_per_subject_max": 20,
  "max_bytes": 20971520,
  "large_bytes": 262144,
  "large_in_progress_max": 4,
  "large_threads_max": 2,
  "unproven": {
    "bytes_max": 4194304,
    "all_bytes_max": 33554432,
    "files_max": 8
  },
  "upload_seconds": 30,
  "depth_max": 32,
  "objects_max": 500000,
  "names_max": 1000,
  "text_characters_max": 256,
  "stored_readings": {
    "quota": 20000,
    "window_seconds": 3600
  },
  "reports_max": 100,
  "hubs": [
    "open_wearables",
    "terra",
    "junction"
  ],
  "signature_age_seconds": 300,
  "connections_max": 20
} as const;

export const ownSessions = {
  "id_characters_max": 238
} as const;

export const personLinks = {
  "secret_prefix": "pl_",
  "links_per_subject_max": 20,
  "open_hours": 24,
  "expires_in_days": 30,
  "recent_minutes": 15,
  "cookie": "__Secure-person",
  "token_header": "X-Page-Token",
  "api_path": "/person/api/",
  "grants": {
    "read": {
      "scopes": [
        "read"
      ],
      "operations": [
        "getState",
        "getHistory",
        "getTriggers",
        "getSubject",
        "getSubjectSummary",
        "streamEvents",
        "exportReadings",
        "getConsent",
        "listFeedback",
        "listAccesses",
        "listDevices",
        "getDevice",
        "listFacts"
      ]
    },
    "feedback": {
      "scopes": [
        "feedback"
      ],
      "operations": [
        "submitFeedback"
      ]
    },
    "dispute": {
      "scopes": [
        "ingest"
      ],
      "operations": [
        "putFact",
        "deleteFact"
      ]
    },
    "correct": {
      "scopes": [
        "erase"
      ],
      "operations": [
        "deleteTrigger"
      ]
    },
    "connect": {
      "scopes": [
        "sources",
        "ingest"
      ],
      "operations": [
        "createSourceKey",
        "listSourceKeys",
        "ingestBatch"
      ]
    },
    "withdraw": {
      "scopes": [
        "consent"
      ],
      "operations": [
        "putConsent"
      ],
      "is_recent": true
    },
    "erase": {
      "scopes": [
        "erase"
      ],
      "operations": [
        "deleteSubject"
      ],
      "is_recent": true
    }
  }
} as const;

export const tiers = {
  "free": {
    "monthly_calls": 1000
  },
  "solo": {
    "monthly_calls": 50000
  },
  "enterprise": {
    "monthly_calls": null
  }
} as const;

export const scopes = {
  "ingest": "Send readings.",
  "feedback": "Send feedback of people.",
  "read": "Read states, histories, summaries, trigger profiles and baselines.",
  "webhooks": "Manage webhooks and read their deliveries.",
  "erase": "Erase subjects.",
  "consent": "Record consent.",
  "tokens": "Issue session tokens, which read or send for one session.",
  "sources": "Create and remove source keys and devices of people. A key has this scope only if it was created with it."
} as const;

export const authentication = {
  "challenge": "ApiKey realm=\"realtime-state-service\", Bearer realm=\"realtime-state-service\""
} as const;

export const oauth = {
  "never_scopes": [
    "erase",
    "webhooks",
    "tokens",
    "sources"
  ],
  "life_seconds_max": 86400,
  "clock_seconds_max": 30,
  "algorithms": [
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519"
  ],
  "document_seconds": 5,
  "document_bytes_max": 1048576,
  "keys_seconds": 600,
  "stale_seconds": 3600,
  "wait_seconds": 2,
  "refetch_seconds": 60,
  "outage_seconds_max": 86400
} as const;

export const keys = {
  "rotation_hours": 24,
  "development_key_days": 30,
  "default_tier": "solo"
} as const;

export const limits = {
  "session_requests": {
    "policy": "session",
    "quota": 120,
    "window_seconds": 60
  },
  "new_sessions": {
    "policy": "new-sessions",
    "quota": 50,
    "oauth_client_quota": 1000,
    "window_seconds": 60
  },
  "failed_authentications": {
    "policy": "failed-authentications",
    "quota": 120,
    "window_seconds": 60
  },
  "streams": {
    "policy": "streams",
    "quota": 1000
  },
  "batches": {
    "policy": "batches",
    "quota": 4
  },
  "requests": {
    "policy": "requests",
    "refused_retry_seconds": 1
  },
  "posts": {
    "policy": "posts",
    "quota": 9,
    "refused_retry_seconds": 1
  },
  "exports": {
    "policy": "exports",
    "quota": 8
  },
  "monthly": {
    "policy": "month"
  }
} as const;

export const retryAfter = {
  "service_unavailable_seconds": 1
} as const;

export const readiness = {
  "failed_writes_seconds": 10
} as const;

export const serviceRuns = {
  "heartbeat_seconds": 60,
  "absence_seconds": 300,
  "kept_days": 90
} as const;

export const safetyCheck = {
  "timeout_ms": 200,
  "gateway_timeout_ms": 300,
  "answer_bytes_max": 4096
} as const;

export const disclaimer = "Not a medical device. Scores are estimates for adapting software and must not be used for diagnosis or treatment." as const;

export const modelVersion = {
  "number": 3
} as const;

export const scoreMax = 100 as const;

export const signalAges = {
  "half_life_seconds": 60,
  "stale_after_seconds": 300,
  "fresh_seconds": 5,
  "statement_seconds": 120
} as const;

export const topics = {
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
} as const;

export const problemTypePrefix = "urn:problem-type:realtime-state-service:" as const;

export const problems = {
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
    "detail": "This API key or token lacks the scope \"{scope}\": use one that has it, or create a key with `keys create --scopes {scope}`"
  },
  "other_person": {
    "status": 403,
    "title": "Forbidden",
    "detail": "This token is for one person only: send \"me\" as subject_id, or omit it where it is optional"
  },
  "grant_required": {
    "status": 403,
    "title": "Forbidden",
    "detail": "This link lacks the grant \"{grant}\": ask for a link that has it"
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
  "device_not_found": {
    "status": 404,
    "title": "Not Found",
    "detail": "No such device"
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
} as const;

export const hints = {
  "send_key": "Send an API key, which begins with sk_, in the header X-Service-Key. The operator creates one with: state-service keys create",
  "source_key": "A key that begins with wk_ is a source key, for POST /v1/sources/{source} only. Send an API key, which begins with sk_",
  "two_keys": "Two headers for the key hold different values. Send the key once, best in X-Service-Key",
  "token_as_key": "This has the form of a token. Send it in the header Authorization, after Bearer, without X-Service-Key",
  "key_form": "An API key consists of sk_ and 32 letters and digits. Send the whole key and nothing else, e.g. no quotes and no Bearer",
  "check_key": "The form is right. Check that the key is of this service. The operator sees with `state-service keys list` whether it has ended",
  "allowed_methods": "This path supports {methods}",
  "empty_body": "The body is empty. Send JSON, as the examples of the operation show",
  "send_lines": "The body begins like one reading per line. Send it with Content-Type: application/x-ndjson, or send an array of readings",
  "similar_path": "The most similar path is {path}",
  "all_paths": "/openapi.json lists all paths. They are case-sensitive and have no trailing slash",
  "clock_or_zone": "Synchronize the sender's clock. Local time that is marked as UTC is ahead by the offset of its time zone",
  "time_unit": "A clock is seldom days ahead. Check the date of the sender's clock, and whether seconds, milliseconds and microseconds are confused"
} as const;

export const problemHelp = {
  "invalid_payload": {
    "cause": "The body is empty, is not JSON, or is not valid UTF-8.",
    "fix": "Send one JSON object in UTF-8, or a batch. `position` names the first character that is not JSON."
  },
  "missing_signals": {
    "cause": "The reading has no signal that counts as evidence. Text and context fields alone do not count.",
    "fix": "Send at least one of the fields that `detail` names, or do not send the reading."
  },
  "timestamp_too_old": {
    "cause": "The `timestamp` is older than the limit: the reading was delayed, or the sender's clock is slow.",
    "fix": "Synchronize the clock with NTP. Send older readings with `backfill`, or discard them."
  },
  "timestamp_in_future": {
    "cause": "The sender's clock is fast, or the `timestamp` is local time marked as UTC.",
    "fix": "Synchronize the clock with NTP, and send UTC."
  },
  "feedback_too_old": {
    "cause": "The `timestamp` of the report is older than the retention of feedback.",
    "fix": "Send reports while the readings of their time are stored."
  },
  "missing_api_key": {
    "cause": "The request has no `X-Service-Key` header.",
    "fix": "Send the key in `X-Service-Key`. The operator creates keys."
  },
  "invalid_api_key": {
    "cause": "The key is unknown, revoked, expired, or not valid from your network. The service's log has the reason.",
    "fix": "Check for spaces around the key, or ask the operator for a new one."
  },
  "invalid_token": {
    "cause": "The session token expired, its key ended, its subject was erased, or it is for another service, operation, session, subject or scope. Or the OAuth token does not fulfill the operator's settings. The service's log has the reason.",
    "fix": "Request a new token from your backend, with the `subject_id` of the readings, or from the authorization server."
  },
  "missing_source_key": {
    "cause": "The request has no source key. A hub has `pending` in its URL until the connection exists.",
    "fix": "Enter the `id` of the connection in the hub. Or send the key of `POST /v1/source-keys`, best in `X-Service-Key`."
  },
  "invalid_source_key": {
    "cause": "The source key is unknown, was removed or expired, is of another source, its person was erased, or the key that created it ended. A service key and a token are no source keys.",
    "fix": "Create a new source key for this person and source."
  },
  "credential_in_url": {
    "cause": "A service key or session token stands in the query or the path of a post to `/v1/sources`. Logs and proxies store URLs.",
    "fix": "Revoke it. Send a source key, which writes data of one person and reads nothing."
  },
  "invalid_link": {
    "cause": "The link is unknown, expired, revoked or was opened before, its person was erased, or the key that created it ended.",
    "fix": "Create a new link with `POST /v1/subjects/{subject_id}/links`. A link opens once, within 24 hours."
  },
  "several_credentials": {
    "cause": "A post to `/v1/sources` has credentials in more than one place.",
    "fix": "Send the source key once, best in `X-Service-Key`."
  },
  "invalid_signature": {
    "cause": "The body of a hub has no signature, an old one, or one of another body or secret.",
    "fix": "Create a connection with the signing secret that the hub shows for this URL. A proxy must not change the body."
  },
  "insufficient_scope": {
    "cause": "The key or OAuth token lacks the scope that the operation requires. A session token without it gets `invalid_token`.",
    "fix": "Use a key or token with this scope. The operator creates keys with `--scopes`. An OAuth client requests the scope."
  },
  "other_person": {
    "cause": "The OAuth token is limited to one person, and the request names another one or concerns all people.",
    "fix": "Send `me` as `subject_id`, or omit it where it is optional."
  },
  "grant_required": {
    "cause": "The page of a person sent a request that its link does not allow.",
    "fix": "Create a link with this grant."
  },
  "link_not_recent": {
    "cause": "Withdrawing and erasing require a link that was opened within 15 minutes.",
    "fix": "Create a new link, and use it right after it opens."
  },
  "page_required": {
    "cause": "A request of the page of a person that changes data had another `Origin`, or no valid `X-Page-Token`.",
    "fix": "Reload the page. Behind a proxy, compare `PUBLIC_URL` with the address in the browser."
  },
  "consent_required": {
    "cause": "The account enforces consent. The reading has no subject, or no signal with a valid consent: see `detail`.",
    "fix": "Record the consent with `PUT /v1/subjects/{subject_id}/consent`, and send readings with this `subject_id`."
  },
  "biometrics_refused": {
    "cause": "A consent for work or education contains biometric data. The EU AI Act prohibits inferring emotions there, except for medical or safety reasons.",
    "fix": "Omit the categories that `detail` lists. If a medical or safety purpose applies, the operator states it for the account."
  },
  "origin_not_allowed": {
    "cause": "A web page called `/mcp`, and `CORS_ORIGINS` does not contain its origin.",
    "fix": "Ask the operator to add the origin, or call from a program, without `Origin`."
  },
  "path_not_found": {
    "cause": "No operation has this path. Paths are case-sensitive and have no trailing slash.",
    "fix": "Compare the path with the reference. The page of a person requires `PUBLIC_URL`."
  },
  "session_not_found": {
    "cause": "No reading of this session was sent, it expired, or the session belongs to another account.",
    "fix": "Treat a 404 for a new session as 'no state yet'."
  },
  "subject_not_found": {
    "cause": "No reading with this `subject_id` was received, the subject was erased, or it belongs to another account.",
    "fix": "Check the id. Send readings with it first."
  },
  "consent_not_found": {
    "cause": "No consent was recorded for this subject, or it was erased with the subject.",
    "fix": "Record the consent with `PUT /v1/subjects/{subject_id}/consent`."
  },
  "topic_not_found": {
    "cause": "The topic was not detected for this subject, was removed, or the subject belongs to another account.",
    "fix": "`GET /v1/triggers` lists the topics of the subject."
  },
  "fact_not_found": {
    "cause": "The fact was removed or expired, its person was erased, or it belongs to another person or account.",
    "fix": "`GET /v1/facts` lists the facts of the person."
  },
  "device_not_found": {
    "cause": "The device was removed, its person was erased, or it belongs to another person or account.",
    "fix": "`GET /v1/devices` lists the devices of the person."
  },
  "source_key_not_found": {
    "cause": "The source key was removed or expired, its person was erased, or it belongs to another account.",
    "fix": "`GET /v1/source-keys` lists the source keys."
  },
  "link_not_found": {
    "cause": "The link was revoked or expired, its person was erased, or it belongs to another person or account.",
    "fix": "`GET /v1/subjects/{subject_id}/links` lists the links."
  },
  "webhook_not_found": {
    "cause": "The webhook was removed, or belongs to another account.",
    "fix": "`GET /webhooks` lists the webhooks."
  },
  "alert_rule_not_found": {
    "cause": "The rule was removed, or belongs to another account.",
    "fix": "`GET /v1/alerts` lists the rules."
  },
  "delivery_not_found": {
    "cause": "The delivery is no longer stored, or belongs to another account.",
    "fix": "`GET /webhooks/deliveries` lists the stored deliveries."
  },
  "method_not_allowed": {
    "cause": "The path does not support this method.",
    "fix": "Use a method of the `Allow` header."
  },
  "request_timeout": {
    "cause": "The client did not send its whole request in time.",
    "fix": "Send the request again."
  },
  "headers_too_large": {
    "cause": "The request line and headers exceed 8 KB.",
    "fix": "Send fewer or shorter headers and cookies."
  },
  "body_too_large": {
    "cause": "The body exceeds the limit.",
    "fix": "Shorten `user_message` and `ai_response`. The clients of this project do so."
  },
  "unsupported_media_type": {
    "cause": "The `Content-Type` is not that of the operation, or the body is compressed.",
    "fix": "Send `application/json`, or in a batch `application/x-ndjson`, uncompressed."
  },
  "validation_failed": {
    "cause": "A field or parameter has a wrong type or value, is missing, or is unknown.",
    "fix": "Correct every field that `errors` lists by `pointer` or `parameter`. `suggestion` names the field that an unknown one is similar to."
  },
  "subject_mismatch": {
    "cause": "The session was started with another `subject_id`.",
    "fix": "Use one session per person."
  },
  "sample_too_old": {
    "cause": "The reading would replace one whose hour is already stored as a summary of the person.",
    "fix": "Do not send it again. The stored reading and its summary stay as they are."
  },
  "rate_limit_exceeded": {
    "cause": "A limit is exceeded. `violated_policies` names it.",
    "fix": "Send the same request again after `Retry-After` seconds. Send fewer readings with more signals each."
  },
  "rotation_in_progress": {
    "cause": "The secret was rotated less than 24 hours ago, and the previous one still signs deliveries.",
    "fix": "Wait until the time in `detail`. If a secret leaked, remove the webhook and register it again."
  },
  "consent_off": {
    "cause": "The mode of consent is off for the account, so a consent would have no effect.",
    "fix": "Ask the operator to set the mode to `record` or `enforce`."
  },
  "consent_outdated": {
    "cause": "A newer decision of the person is recorded, or this one allows more and its `event_time` is ahead of the service's clock.",
    "fix": "Do not send it again. Send a new decision with its own `event_time`, from a correct clock."
  },
  "subject_erased": {
    "cause": "The person was erased at or after the `timestamp` of this conversation turn.",
    "fix": "Discard the turn. Later turns are accepted, and start without earlier data."
  },
  "idempotency_key_in_use": {
    "cause": "The first request with this `Idempotency-Key` has not finished.",
    "fix": "Send the same request again after `Retry-After` seconds."
  },
  "idempotency_key_reused": {
    "cause": "Another operation, path or body used this `Idempotency-Key` within the last 24 hours.",
    "fix": "Use a new key for each request, and the same key only to resend it."
  },
  "internal_error": {
    "cause": "The service failed unexpectedly.",
    "fix": "Resend readings and GET requests. For other requests, check first whether they took effect. Report the `request_id` to the operator."
  },
  "service_unavailable": {
    "cause": "The database is unreachable or accepts no writes, or the service is overloaded or shutting down. `/readyz` names the cause. Or the keys that verify OAuth tokens cannot be read.",
    "fix": "Send the same request again after `Retry-After` seconds."
  }
} as const;

export const faults = {
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
  "too_many_disputes": {
    "detail": "A person may state at most {limit} facts in 24 hours: remove one first"
  },
  "device_unknown": {
    "detail": "No such device: create it with POST /v1/devices, and send its device_id"
  },
  "device_label": {
    "detail": "The device states its own label: remove source_device"
  },
  "too_many_devices": {
    "detail": "A person may have at most {limit} devices: remove one first"
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
} as const;

export const enums = {
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
    "none",
    "weak"
  ],
  "RaisedCause": [
    "stress",
    "exertion",
    "recovery",
    "all_day",
    "waking",
    "unknown"
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
  "DeviceKind": [
    "watch",
    "strap",
    "ring",
    "phone",
    "camera",
    "microphone",
    "app"
  ],
  "LinkGrant": [
    "read",
    "feedback",
    "dispute",
    "correct",
    "connect",
    "withdraw",
    "erase"
  ],
  "Cause": [
    "calming",
    "heart_raised",
    "heart_low",
    "heart_usual",
    "variability_low",
    "variability_high",
    "vocal_up",
    "vocal_down",
    "vocal_focused",
    "vocal_hesitant",
    "vocal_excited",
    "visual_up",
    "visual_down",
    "visual_concentrated",
    "visual_surprised",
    "textual_negative",
    "textual_urgent",
    "textual_positive"
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
    "device_not_found",
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
} as const;

export const bounds = {
  "SignalSubmission": {
    "heart_rate": {
      "minimum": 30,
      "maximum": 220
    },
    "sdnn": {
      "minimum": 1,
      "maximum": 500
    },
    "rmssd": {
      "minimum": 1,
      "maximum": 500
    },
    "sentiment": {
      "minimum": -1,
      "maximum": 1
    },
    "steps_last_minute": {
      "minimum": 0,
      "maximum": 400
    },
    "respiratory_rate": {
      "minimum": 4,
      "maximum": 60
    },
    "skin_temperature": {
      "minimum": 10,
      "maximum": 45
    },
    "eda": {
      "minimum": 0,
      "maximum": 100
    },
    "spo2": {
      "minimum": 0,
      "maximum": 100
    },
    "pnn50": {
      "minimum": 0,
      "maximum": 100
    },
    "mean_ibi": {
      "minimum": 250,
      "maximum": 2500
    },
    "ibi_count": {
      "minimum": 0,
      "maximum": 1000000
    },
    "speech_rate": {
      "minimum": 0,
      "maximum": 1000
    },
    "pitch_variability": {
      "minimum": 0,
      "maximum": 1000
    },
    "engagement": {
      "minimum": 0,
      "maximum": 1
    },
    "glucose_mg_dl": {
      "minimum": 20,
      "maximum": 600
    },
    "glucose_mmol_l": {
      "minimum": 1,
      "maximum": 33
    },
    "eeg_alpha_power": {
      "minimum": 0,
      "maximum": 100000
    },
    "eeg_beta_power": {
      "minimum": 0,
      "maximum": 100000
    },
    "eeg_theta_power": {
      "minimum": 0,
      "maximum": 100000
    },
    "cognitive_load": {
      "minimum": 0,
      "maximum": 1
    },
    "sample_revision": {
      "minimum": 0,
      "maximum": 2147483647
    }
  },
  "BatchResult": {
    "accepted": {
      "minimum": 0,
      "maximum": 1000
    },
    "rejected": {
      "minimum": 0,
      "maximum": 1000
    }
  },
  "LineResult": {
    "line": {
      "minimum": 1,
      "maximum": 1048576
    },
    "status": {
      "minimum": 200,
      "maximum": 599
    }
  },
  "LineProblem": {
    "status": {
      "minimum": 400,
      "maximum": 599
    },
    "errors_omitted": {
      "minimum": 1,
      "maximum": 1048576
    }
  },
  "StateReading": {
    "stress_score": {
      "minimum": 0,
      "maximum": 100
    },
    "confidence": {
      "minimum": 0,
      "maximum": 1
    }
  },
  "WithoutPart": {
    "stress_score": {
      "minimum": 0,
      "maximum": 100
    }
  },
  "DerivedValues": {
    "sentiment": {
      "minimum": -1,
      "maximum": 1
    }
  },
  "AdaptationEffectiveness": {
    "previous_score": {
      "minimum": 0,
      "maximum": 100
    },
    "current_score": {
      "minimum": 0,
      "maximum": 100
    },
    "stress_delta": {
      "minimum": -100,
      "maximum": 100
    }
  },
  "History": {
    "minutes": {
      "minimum": 1,
      "maximum": 60
    }
  },
  "HistoryDatapoint": {
    "stress_score": {
      "minimum": 0,
      "maximum": 100
    },
    "scored_before": {
      "minimum": 0,
      "maximum": 100
    },
    "confidence": {
      "minimum": 0,
      "maximum": 1
    },
    "heart_rate": {
      "minimum": 30,
      "maximum": 220
    },
    "sdnn": {
      "minimum": 1,
      "maximum": 500
    },
    "rmssd": {
      "minimum": 1,
      "maximum": 500
    },
    "sentiment": {
      "minimum": -1,
      "maximum": 1
    },
    "steps_last_minute": {
      "minimum": 0,
      "maximum": 400
    },
    "respiratory_rate": {
      "minimum": 4,
      "maximum": 60
    },
    "skin_temperature": {
      "minimum": 10,
      "maximum": 45
    },
    "eda": {
      "minimum": 0,
      "maximum": 100
    },
    "spo2": {
      "minimum": 0,
      "maximum": 100
    },
    "pnn50": {
      "minimum": 0,
      "maximum": 100
    },
    "mean_ibi": {
      "minimum": 250,
      "maximum": 2500
    },
    "ibi_count": {
      "minimum": 0,
      "maximum": 1000000
    },
    "speech_rate": {
      "minimum": 0,
      "maximum": 1000
    },
    "pitch_variability": {
      "minimum": 0,
      "maximum": 1000
    },
    "engagement": {
      "minimum": 0,
      "maximum": 1
    },
    "glucose_mg_dl": {
      "minimum": 20,
      "maximum": 600
    },
    "glucose_mmol_l": {
      "minimum": 1,
      "maximum": 33
    },
    "eeg_alpha_power": {
      "minimum": 0,
      "maximum": 100000
    },
    "eeg_beta_power": {
      "minimum": 0,
      "maximum": 100000
    },
    "eeg_theta_power": {
      "minimum": 0,
      "maximum": 100000
    },
    "cognitive_load": {
      "minimum": 0,
      "maximum": 1
    }
  },
  "HistorySummary": {
    "min": {
      "minimum": 0,
      "maximum": 100
    },
    "max": {
      "minimum": 0,
      "maximum": 100
    },
    "mean": {
      "minimum": 0,
      "maximum": 100
    }
  },
  "ExportedSubmission": {
    "heart_rate": {
      "minimum": 30,
      "maximum": 220
    },
    "sdnn": {
      "minimum": 1,
      "maximum": 500
    },
    "rmssd": {
      "minimum": 1,
      "maximum": 500
    },
    "sentiment": {
      "minimum": -1,
      "maximum": 1
    },
    "steps_last_minute": {
      "minimum": 0,
      "maximum": 400
    },
    "respiratory_rate": {
      "minimum": 4,
      "maximum": 60
    },
    "skin_temperature": {
      "minimum": 10,
      "maximum": 45
    },
    "eda": {
      "minimum": 0,
      "maximum": 100
    },
    "spo2": {
      "minimum": 0,
      "maximum": 100
    },
    "pnn50": {
      "minimum": 0,
      "maximum": 100
    },
    "mean_ibi": {
      "minimum": 250,
      "maximum": 2500
    },
    "ibi_count": {
      "minimum": 0,
      "maximum": 1000000
    },
    "speech_rate": {
      "minimum": 0,
      "maximum": 1000
    },
    "pitch_variability": {
      "minimum": 0,
      "maximum": 1000
    },
    "engagement": {
      "minimum": 0,
      "maximum": 1
    },
    "glucose_mg_dl": {
      "minimum": 20,
      "maximum": 600
    },
    "glucose_mmol_l": {
      "minimum": 1,
      "maximum": 33
    },
    "eeg_alpha_power": {
      "minimum": 0,
      "maximum": 100000
    },
    "eeg_beta_power": {
      "minimum": 0,
      "maximum": 100000
    },
    "eeg_theta_power": {
      "minimum": 0,
      "maximum": 100000
    },
    "cognitive_load": {
      "minimum": 0,
      "maximum": 1
    },
    "sample_revision": {
      "minimum": 0,
      "maximum": 2147483647
    }
  },
  "ExportedComputation": {
    "stress_score": {
      "minimum": 0,
      "maximum": 100
    },
    "scored_before": {
      "minimum": 0,
      "maximum": 100
    },
    "confidence": {
      "minimum": 0,
      "maximum": 1
    },
    "heart_rate": {
      "minimum": 30,
      "maximum": 220
    },
    "sdnn": {
      "minimum": 1,
      "maximum": 500
    },
    "rmssd": {
      "minimum": 1,
      "maximum": 500
    },
    "sentiment": {
      "minimum": -1,
      "maximum": 1
    }
  },
  "SourceKeyRequest": {
    "expires_in_days": {
      "minimum": 1,
      "maximum": 3650
    }
  },
  "LinkRequest": {
    "expires_in_days": {
      "minimum": 1,
      "maximum": 90
    }
  },
  "TokenRequest": {
    "expires_in": {
      "minimum": 1,
      "maximum": 3600
    }
  },
  "SessionSummary": {
    "stress_score": {
      "minimum": 0,
      "maximum": 100
    },
    "confidence": {
      "minimum": 0,
      "maximum": 1
    }
  },
  "SessionPoint": {
    "stress_score": {
      "minimum": 0,
      "maximum": 100
    }
  },
  "SessionStateCounts": {
    "calm": {
      "minimum": 0,
      "maximum": 10000
    },
    "relaxed": {
      "minimum": 0,
      "maximum": 10000
    },
    "focused": {
      "minimum": 0,
      "maximum": 10000
    },
    "stressed": {
      "minimum": 0,
      "maximum": 10000
    },
    "acute_stress": {
      "minimum": 0,
      "maximum": 10000
    },
    "unknown": {
      "minimum": 0,
      "maximum": 10000
    },
    "ended": {
      "minimum": 0,
      "maximum": 10000
    }
  },
  "TriggerEntry": {
    "avg_stress": {
      "minimum": 0,
      "maximum": 100
    },
    "peak_stress": {
      "minimum": 0,
      "maximum": 100
    },
    "effect": {
      "minimum": -100,
      "maximum": 100
    }
  },
  "BaselineProgress": {
    "progress": {
      "minimum": 0,
      "maximum": 1
    },
    "own_share": {
      "minimum": 0,
      "maximum": 1
    }
  },
  "HeartRateBaseline": {
    "own_share": {
      "minimum": 0,
      "maximum": 1
    }
  },
  "VariabilityBaseline": {
    "own_share": {
      "minimum": 0,
      "maximum": 1
    }
  },
  "SubjectProfile": {
    "sessions": {
      "minimum": 0,
      "maximum": 1000
    }
  },
  "FactSubmission": {
    "revision": {
      "minimum": 0,
      "maximum": 9007199254740991
    }
  },
  "Fact": {
    "revision": {
      "minimum": 0,
      "maximum": 9007199254740991
    }
  },
  "FeedbackSubmission": {
    "duration_seconds": {
      "minimum": 1,
      "maximum": 28800
    },
    "stress": {
      "minimum": 0,
      "maximum": 10
    }
  },
  "PublishedScore": {
    "stress_score": {
      "minimum": 0,
      "maximum": 100
    }
  },
  "Feedback": {
    "duration_seconds": {
      "minimum": 1,
      "maximum": 28800
    },
    "stress": {
      "minimum": 0,
      "maximum": 10
    }
  },
  "Estimate": {
    "value": {
      "minimum": 0,
      "maximum": 1
    },
    "low": {
      "minimum": 0,
      "maximum": 1
    },
    "high": {
      "minimum": 0,
      "maximum": 1
    }
  },
  "CalibrationBand": {
    "mean_score": {
      "minimum": 0,
      "maximum": 100
    },
    "mean_stress": {
      "minimum": 0,
      "maximum": 10
    }
  },
  "Agreement": {
    "reports": {
      "minimum": 0,
      "maximum": 10000
    },
    "person_reports_max": {
      "minimum": 0,
      "maximum": 10000
    },
    "scored_reports": {
      "minimum": 0,
      "maximum": 10000
    },
    "stressed_reports": {
      "minimum": 0,
      "maximum": 10000
    },
    "groups": {
      "minimum": 0,
      "maximum": 10000
    }
  },
  "Webhook": {
    "queued_deliveries": {
      "minimum": 0,
      "maximum": 1000
    }
  },
  "StateChange": {
    "stress_score": {
      "minimum": 0,
      "maximum": 100
    }
  },
  "StreamedStateChange": {
    "stress_score": {
      "minimum": 0,
      "maximum": 100
    }
  },
  "AlertRuleRequest": {
    "minutes": {
      "minimum": 1,
      "maximum": 60
    },
    "hours": {
      "minimum": 1,
      "maximum": 168
    }
  },
  "AlertRule": {
    "minutes": {
      "minimum": 1,
      "maximum": 60
    },
    "hours": {
      "minimum": 1,
      "maximum": 168
    }
  },
  "DeliveryAttempt": {
    "status": {
      "minimum": 100,
      "maximum": 999
    }
  },
  "Problem": {
    "status": {
      "minimum": 400,
      "maximum": 599
    }
  },
  "JsonPosition": {
    "line": {
      "minimum": 1,
      "maximum": 4097
    },
    "column": {
      "minimum": 1,
      "maximum": 4097
    }
  },
  "ValidationProblem": {
    "status": {
      "minimum": 400,
      "maximum": 599
    },
    "errors_omitted": {
      "minimum": 1,
      "maximum": 1048576
    }
  },
  "RateLimitProblem": {
    "status": {
      "minimum": 400,
      "maximum": 599
    }
  }
} as const;

export const fields = {
  "SignalSubmission": [
    "session_id",
    "device_id",
    "subject_id",
    "timestamp",
    "heart_rate",
    "sdnn",
    "rmssd",
    "rr_intervals_ms",
    "tone",
    "expression",
    "sentiment",
    "urgency",
    "activity_level",
    "steps_last_minute",
    "respiratory_rate",
    "skin_temperature",
    "eda",
    "spo2",
    "pnn50",
    "mean_ibi",
    "ibi_count",
    "speech_rate",
    "pitch_variability",
    "gaze",
    "posture",
    "engagement",
    "glucose_mg_dl",
    "glucose_mmol_l",
    "glucose_trend",
    "eeg_alpha_power",
    "eeg_beta_power",
    "eeg_theta_power",
    "cognitive_load",
    "sleep_stage",
    "source_device",
    "sample_id",
    "sample_revision",
    "user_message",
    "ai_response",
    "derive_sentiment",
    "backfill"
  ],
  "BatchResult": [
    "accepted",
    "rejected",
    "results"
  ],
  "LineResult": [
    "line",
    "status",
    "sample",
    "state",
    "error"
  ],
  "LineProblem": [
    "type",
    "title",
    "status",
    "detail",
    "code",
    "request_id",
    "hint",
    "position",
    "max_age_seconds",
    "errors",
    "errors_omitted",
    "violated_policies",
    "retry_after_seconds"
  ],
  "Raised": [
    "since",
    "likely"
  ],
  "StateReading": [
    "hsp_version",
    "session_id",
    "subject_id",
    "timestamp",
    "state",
    "stress_score",
    "confidence",
    "evidence",
    "raised",
    "contributions",
    "without",
    "state_since",
    "signals_received",
    "suggested_action",
    "action_reason",
    "recommendation",
    "model_version",
    "baseline",
    "adaptation_effectiveness",
    "rr_quality",
    "derived",
    "signals_dropped",
    "shared_signals",
    "topics_detected",
    "text_analysis",
    "safety",
    "safety_source",
    "active_triggers",
    "resolved_triggers",
    "disclaimer"
  ],
  "Contributions": [
    "neutral",
    "cardiovascular",
    "vocal",
    "visual",
    "textual",
    "other_session",
    "held"
  ],
  "WithoutParts": [
    "cardiovascular",
    "vocal",
    "visual",
    "textual",
    "other_session"
  ],
  "WithoutPart": [
    "state",
    "stress_score",
    "evidence"
  ],
  "SharedSignal": [
    "signal",
    "session_id",
    "timestamp"
  ],
  "TextAnalysis": [
    "status",
    "removed",
    "detail"
  ],
  "SafetyFinding": [
    "kind",
    "guidance"
  ],
  "DerivedValues": [
    "sentiment"
  ],
  "AdaptationEffectiveness": [
    "previous_action",
    "previous_score",
    "current_score",
    "stress_delta",
    "effective"
  ],
  "History": [
    "session_id",
    "subject_id",
    "minutes",
    "datapoints",
    "trend",
    "summary",
    "not_observed"
  ],
  "AbsentTime": [
    "from",
    "to"
  ],
  "HistoryDatapoint": [
    "timestamp",
    "session_id",
    "state",
    "stress_score",
    "scored_before",
    "confidence",
    "evidence",
    "raised",
    "model_version",
    "heart_rate",
    "sdnn",
    "rmssd",
    "tone",
    "expression",
    "sentiment",
    "urgency",
    "activity_level",
    "steps_last_minute",
    "respiratory_rate",
    "skin_temperature",
    "eda",
    "spo2",
    "pnn50",
    "mean_ibi",
    "ibi_count",
    "speech_rate",
    "pitch_variability",
    "gaze",
    "posture",
    "engagement",
    "glucose_mg_dl",
    "glucose_mmol_l",
    "glucose_trend",
    "eeg_alpha_power",
    "eeg_beta_power",
    "eeg_theta_power",
    "cognitive_load",
    "sleep_stage",
    "source_device",
    "topics_detected"
  ],
  "HistorySummary": [
    "transitions",
    "min",
    "max",
    "mean"
  ],
  "ExportedReading": [
    "reading",
    "computed",
    "cursor"
  ],
  "ExportedSubmission": [
    "session_id",
    "subject_id",
    "timestamp",
    "heart_rate",
    "sdnn",
    "rmssd",
    "rr_intervals_ms",
    "tone",
    "expression",
    "sentiment",
    "urgency",
    "activity_level",
    "steps_last_minute",
    "respiratory_rate",
    "skin_temperature",
    "eda",
    "spo2",
    "pnn50",
    "mean_ibi",
    "ibi_count",
    "speech_rate",
    "pitch_variability",
    "gaze",
    "posture",
    "engagement",
    "glucose_mg_dl",
    "glucose_mmol_l",
    "glucose_trend",
    "eeg_alpha_power",
    "eeg_beta_power",
    "eeg_theta_power",
    "cognitive_load",
    "sleep_stage",
    "source_device",
    "sample_id",
    "sample_revision",
    "user_message",
    "ai_response",
    "derive_sentiment",
    "backfill"
  ],
  "ExportedComputation": [
    "state",
    "stress_score",
    "scored_before",
    "confidence",
    "model_version",
    "heart_rate",
    "sdnn",
    "rmssd",
    "sentiment",
    "rr_quality",
    "signals_received",
    "suggested_action",
    "action_reason",
    "recommendation",
    "previous_state",
    "adaptation_effectiveness",
    "topics_detected",
    "active_triggers",
    "resolved_triggers"
  ],
  "SourceResult": [
    "stored",
    "unchanged",
    "replaced",
    "reports",
    "skipped",
    "values",
    "notes"
  ],
  "SourceValues": [
    "used",
    "merged",
    "day_summary",
    "placeholder",
    "context",
    "unknown_field",
    "refused"
  ],
  "DeviceRequest": [
    "subject_id",
    "name",
    "kind"
  ],
  "Device": [
    "device_id",
    "subject_id",
    "name",
    "kind",
    "source",
    "created_at",
    "last_reading_at"
  ],
  "DeviceList": [
    "devices"
  ],
  "SourceKeyRequest": [
    "subject_id",
    "source",
    "signing_secret",
    "expires_in_days",
    "time_zone"
  ],
  "SourceKey": [
    "id",
    "subject_id",
    "source",
    "prefix",
    "time_zone",
    "created_at",
    "expires_at",
    "last_used_at",
    "last_post",
    "maker_key_id",
    "key"
  ],
  "SourceKeyPost": [
    "usable",
    "device",
    "skipped",
    "readings_hours"
  ],
  "SourceKeyList": [
    "public_url",
    "source_keys"
  ],
  "LinkRequest": [
    "grants",
    "expires_in_days"
  ],
  "Link": [
    "id",
    "subject_id",
    "grants",
    "created_at",
    "open_until",
    "expires_at",
    "opened_at",
    "url"
  ],
  "LinkList": [
    "links"
  ],
  "TokenRequest": [
    "session_id",
    "subject_id",
    "scopes",
    "expires_in"
  ],
  "SessionToken": [
    "token",
    "session_id",
    "scopes",
    "expires_at"
  ],
  "SessionSummary": [
    "session_id",
    "subject_id",
    "started_at",
    "timestamp",
    "state",
    "stress_score",
    "confidence",
    "evidence",
    "state_since",
    "cause",
    "model_version",
    "valid_until",
    "points"
  ],
  "SessionPoint": [
    "timestamp",
    "stress_score"
  ],
  "SessionStateCounts": [
    "calm",
    "relaxed",
    "focused",
    "stressed",
    "acute_stress",
    "unknown",
    "ended"
  ],
  "SessionList": [
    "sessions",
    "next_cursor",
    "as_of",
    "states",
    "account_id"
  ],
  "TriggerEntry": [
    "status",
    "avg_stress",
    "peak_stress",
    "sessions",
    "last_seen",
    "effect",
    "evidence"
  ],
  "TriggerProfile": [
    "subject_id",
    "triggers",
    "active",
    "resolved"
  ],
  "LatestHeartRate": [
    "timestamp",
    "bpm",
    "learned"
  ],
  "LatestVariability": [
    "timestamp",
    "ms",
    "learned"
  ],
  "HeartRateBin": [
    "from_bpm",
    "seconds"
  ],
  "BaselineProgress": [
    "status",
    "progress",
    "own_share"
  ],
  "HeartRateBaseline": [
    "resting_bpm",
    "typical_bpm",
    "stressed_rise_bpm",
    "own_share",
    "learned_seconds",
    "histogram",
    "latest"
  ],
  "VariabilityBaseline": [
    "typical_ms",
    "own_share",
    "own_mean_ms",
    "learned_seconds",
    "latest"
  ],
  "Baseline": [
    "heart_rate",
    "sdnn",
    "rmssd",
    "devices"
  ],
  "DeviceBaseline": [
    "source_device",
    "sdnn",
    "rmssd"
  ],
  "SubjectProfile": [
    "subject_id",
    "sessions",
    "first_session_started_at",
    "last_session_started_at",
    "baseline",
    "status_changes"
  ],
  "TopicStatusChange": [
    "status",
    "timestamp"
  ],
  "StateSeconds": [
    "calm",
    "relaxed",
    "focused",
    "stressed",
    "acute_stress"
  ],
  "ValueRange": [
    "mean",
    "min",
    "max"
  ],
  "SummaryRow": [
    "start",
    "date",
    "readings",
    "state_seconds",
    "stress_score",
    "heart_rate",
    "raised_day",
    "topics"
  ],
  "SubjectSummary": [
    "subject_id",
    "interval",
    "time_zone",
    "from",
    "to",
    "rows",
    "not_observed",
    "next_cursor"
  ],
  "FactSubmission": [
    "subject_id",
    "kind",
    "level",
    "start",
    "end",
    "revision"
  ],
  "Fact": [
    "fact_id",
    "subject_id",
    "kind",
    "level",
    "start",
    "end",
    "revision",
    "source"
  ],
  "FactList": [
    "facts",
    "next_cursor"
  ],
  "FeedbackSubmission": [
    "session_id",
    "subject_id",
    "timestamp",
    "duration_seconds",
    "stress",
    "note_code"
  ],
  "PublishedScore": [
    "stress_score",
    "state",
    "model_version",
    "readings"
  ],
  "Feedback": [
    "id",
    "session_id",
    "subject_id",
    "timestamp",
    "duration_seconds",
    "stress",
    "note_code",
    "published",
    "recorded_at"
  ],
  "FeedbackList": [
    "feedback",
    "next_cursor"
  ],
  "Estimate": [
    "value",
    "low",
    "high"
  ],
  "CalibrationBand": [
    "state",
    "reports",
    "mean_score",
    "mean_stress",
    "stressed_share"
  ],
  "Agreement": [
    "subject_id",
    "status",
    "model_version",
    "reports",
    "person_reports_max",
    "scored_reports",
    "stressed_reports",
    "groups",
    "auc",
    "calibration",
    "disputes"
  ],
  "DisputeCount": [
    "kind",
    "facts",
    "people"
  ],
  "ConsentSubmission": [
    "categories",
    "purposes",
    "context",
    "event_time",
    "expires_at",
    "record_id"
  ],
  "Consent": [
    "subject_id",
    "version",
    "categories",
    "purposes",
    "context",
    "event_time",
    "expires_at",
    "record_id",
    "event_state",
    "recorded_at"
  ],
  "ConsentVersions": [
    "versions",
    "next_cursor"
  ],
  "Erasure": [
    "subject_id",
    "deleted",
    "sessions_removed",
    "triggers_removed",
    "sessions_deleted",
    "trigger_entries_deleted",
    "receipt"
  ],
  "Access": [
    "minute",
    "action",
    "operation",
    "key_id",
    "credential",
    "scope"
  ],
  "AccessList": [
    "subject_id",
    "accesses",
    "next_cursor"
  ],
  "ReceiptKey": [
    "kty",
    "crv",
    "alg",
    "use",
    "kid",
    "x"
  ],
  "ReceiptKeyList": [
    "keys"
  ],
  "WebhookRegistration": [
    "url",
    "events",
    "session_id",
    "subject_id",
    "retry",
    "states"
  ],
  "Webhook": [
    "id",
    "url",
    "events",
    "session_id",
    "subject_id",
    "status",
    "retry",
    "states",
    "secret",
    "consecutive_failures",
    "last_failure_at",
    "last_failure",
    "next_attempt_at",
    "last_success_at",
    "queued_deliveries",
    "created_at"
  ],
  "WebhookList": [
    "webhooks"
  ],
  "StateChange": [
    "event",
    "session_id",
    "previous_state",
    "new_state",
    "stress_score",
    "timestamp"
  ],
  "StreamedStateChange": [
    "event",
    "session_id",
    "previous_state",
    "new_state",
    "stress_score",
    "timestamp",
    "subject_id"
  ],
  "Alert": [
    "event",
    "alert_id",
    "subject_id",
    "condition",
    "timestamp"
  ],
  "TriggerActive": [
    "event",
    "subject_id",
    "topic",
    "timestamp"
  ],
  "EventDelivery": [
    "id",
    "webhook_id",
    "event",
    "status",
    "payload",
    "attempts",
    "reason"
  ],
  "QuietHours": [
    "from",
    "to",
    "time_zone"
  ],
  "AlertRuleRequest": [
    "condition",
    "minutes",
    "hours",
    "subject_ids",
    "quiet_hours"
  ],
  "AlertRule": [
    "id",
    "condition",
    "minutes",
    "hours",
    "subject_ids",
    "quiet_hours",
    "created_at",
    "last_fired_at"
  ],
  "AlertRuleList": [
    "alerts"
  ],
  "TestAccepted": [
    "delivery_id"
  ],
  "DeliveryAttempt": [
    "timestamp",
    "status",
    "error",
    "duration_ms",
    "answer"
  ],
  "Delivery": [
    "id",
    "webhook_id",
    "status",
    "payload",
    "attempts",
    "reason",
    "settled_at"
  ],
  "DeliveryList": [
    "deliveries",
    "event_deliveries",
    "next_cursor"
  ],
  "FailedDelivery": [
    "id",
    "webhook_id",
    "payload",
    "attempts",
    "reason"
  ],
  "FailedDeliveryList": [
    "deliveries",
    "event_deliveries",
    "next_cursor"
  ],
  "RetryRequest": [
    "delivery_ids",
    "webhook_id",
    "since",
    "ordered"
  ],
  "RetryAccepted": [
    "count",
    "delivery_ids"
  ],
  "Health": [
    "status"
  ],
  "Readiness": [
    "status"
  ],
  "Problem": [
    "type",
    "title",
    "status",
    "detail",
    "code",
    "request_id",
    "hint",
    "position",
    "max_age_seconds"
  ],
  "JsonPosition": [
    "line",
    "column"
  ],
  "ValidationProblem": [
    "type",
    "title",
    "status",
    "detail",
    "code",
    "request_id",
    "hint",
    "errors",
    "errors_omitted"
  ],
  "RateLimitProblem": [
    "type",
    "title",
    "status",
    "detail",
    "code",
    "request_id",
    "violated_policies"
  ],
  "Fault": [
    "detail",
    "code",
    "pointer",
    "parameter",
    "allowed",
    "suggestion"
  ]
} as const;

export const signals = {
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
    "unit": "°C",
    "minimum": 10,
    "maximum": 45
  },
  "eda": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "µS",
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
    "maximum": 1000000
  },
  "speech_rate": {
    "use": "stored only",
    "consent": "vocal",
    "type": "number",
    "unit": "words per minute",
    "minimum": 0,
    "maximum": 1000
  },
  "pitch_variability": {
    "use": "stored only",
    "consent": "vocal",
    "type": "number",
    "unit": "Hz",
    "minimum": 0,
    "maximum": 1000
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
    "unit": "µV²",
    "minimum": 0,
    "maximum": 100000
  },
  "eeg_beta_power": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "µV²",
    "minimum": 0,
    "maximum": 100000
  },
  "eeg_theta_power": {
    "use": "stored only",
    "consent": "cardiovascular",
    "type": "number",
    "unit": "µV²",
    "minimum": 0,
    "maximum": 100000
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
} as const;

export const parameterDefaults = {
  "Minutes": 5
} as const;

export const publicOperations = [
  "listReceiptKeys",
  "getHealth",
  "getReadiness"
] as const;

export const operationScopes = {
  "ingest": "ingest",
  "ingestBatch": "ingest",
  "getState": "read",
  "getHistory": "read",
  "listSessions": "read",
  "streamEvents": "read",
  "exportReadings": "read",
  "createToken": "tokens",
  "createSourceKey": "sources",
  "listSourceKeys": "sources",
  "removeSourceKey": "sources",
  "getTriggers": "read",
  "getSubject": "read",
  "deleteSubject": "erase",
  "deleteTrigger": "erase",
  "getConsent": "read",
  "putConsent": "consent",
  "listConsentVersions": "read",
  "getSubjectSummary": "read",
  "createLink": "tokens",
  "listLinks": "tokens",
  "removeLink": "tokens",
  "listAccesses": "read",
  "getSubjectAgreement": "read",
  "createDevice": "sources",
  "listDevices": "read",
  "getDevice": "read",
  "removeDevice": "sources",
  "putFact": "ingest",
  "deleteFact": "ingest",
  "listFacts": "read",
  "submitFeedback": "feedback",
  "listFeedback": "read",
  "getAgreement": "read",
  "createAlertRule": "webhooks",
  "listAlertRules": "webhooks",
  "removeAlertRule": "webhooks",
  "registerWebhook": "webhooks",
  "listWebhooks": "webhooks",
  "removeWebhook": "webhooks",
  "rotateWebhookSecret": "webhooks",
  "testWebhook": "webhooks",
  "listFailedDeliveries": "webhooks",
  "retryDeliveries": "webhooks",
  "listDeliveries": "webhooks",
  "getDelivery": "webhooks"
} as const;

export const contractDigest = "4c7a9c5b7fc89f2798352e92cf500d1264b5067957e5ae5d9742c4c9f7136e91" as const;
