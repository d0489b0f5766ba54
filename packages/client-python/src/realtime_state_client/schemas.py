"""Wire types with the names of the contract."""

# Generated from openapi.yaml by `npm run generate`. Edit that file instead.

from typing import Literal, NotRequired, TypedDict


# Direction of the gaze, as labeled by the client's image analysis.
Gaze = Literal["direct", "averted", "downward", "wandering"]


# Posture of the body, as labeled by the client's image analysis.
Posture = Literal["upright", "leaning_forward", "leaning_back", "slouched"]


# Direction and speed of the change of the glucose.
GlucoseTrend = Literal["rapid_fall", "falling", "stable", "rising", "rapid_rise"]


# Current or most recent stage of sleep, as labeled by the device.
SleepStage = Literal["awake", "light", "deep", "rem"]


# Tone of voice, as labeled by the client's voice analysis.
Tone = Literal[
    "calm",
    "focused",
    "hesitant",
    "tense",
    "frustrated",
    "anxious",
    "hostile",
    "excited",
    "neutral",
]


# Facial expression, as labeled by the client's image analysis.
Expression = Literal["relaxed", "concentrated", "frowning", "smiling", "tense", "surprised", "neutral"]


# Urgency of the user's text, as labeled by the client's text analysis.
Urgency = Literal["low", "medium", "high", "critical"]


# How much the person moves.
ActivityLevel = Literal["resting", "light", "moderate", "vigorous"]


class Submission(TypedDict):
    """One reading: the signals of a person at one time."""

    # An identifier that the client creates.
    session_id: NotRequired[str]
    # A device of `POST /v1/devices`, in place of `session_id`.
    device_id: NotRequired[str]
    # The person across sessions.
    subject_id: NotRequired[str]
    # Time of measurement.
    timestamp: str
    # Heart rate.
    heart_rate: NotRequired[float]
    # Standard deviation of normal-to-normal beat intervals over the last minutes.
    sdnn: NotRequired[float]
    # Root mean square of successive differences of normal-to-normal beat intervals over the last minutes.
    rmssd: NotRequired[float]
    # Beat-to-beat intervals in milliseconds, oldest first.
    rr_intervals_ms: NotRequired[list[int]]
    tone: NotRequired[Tone]
    expression: NotRequired[Expression]
    # Sentiment of the text, from -1 (negative) to 1 (positive).
    sentiment: NotRequired[float]
    urgency: NotRequired[Urgency]
    activity_level: NotRequired[ActivityLevel]
    # Steps in the last minute.
    steps_last_minute: NotRequired[int]
    # Breaths per minute.
    respiratory_rate: NotRequired[float]
    # Temperature of the skin in degrees Celsius.
    skin_temperature: NotRequired[float]
    # Electrodermal activity, as the conductance of the skin in microsiemens.
    eda: NotRequired[float]
    # Oxygen saturation of the blood in percent.
    spo2: NotRequired[float]
    # Share of successive beat intervals that differ by more than 50 ms, in percent.
    pnn50: NotRequired[float]
    # Mean of the beat intervals in the window of the sensor, in milliseconds.
    mean_ibi: NotRequired[float]
    # Number of beat intervals in the window of the sensor.
    ibi_count: NotRequired[int]
    # Words per minute, as measured by the client's voice analysis.
    speech_rate: NotRequired[float]
    # Variation of the fundamental frequency of the voice, in hertz.
    pitch_variability: NotRequired[float]
    gaze: NotRequired[Gaze]
    posture: NotRequired[Posture]
    # Visual engagement, from 0 (none) to 1 (full), as rated by the client's image analysis.
    engagement: NotRequired[float]
    # Glucose in milligrams per deciliter.
    glucose_mg_dl: NotRequired[float]
    # Glucose in millimoles per liter.
    glucose_mmol_l: NotRequired[float]
    glucose_trend: NotRequired[GlucoseTrend]
    # Power of the alpha band of the electroencephalogram (8 to 13 Hz), in square microvolts.
    eeg_alpha_power: NotRequired[float]
    # Power of the beta band of the electroencephalogram (13 to 30 Hz), in square microvolts.
    eeg_beta_power: NotRequired[float]
    # Power of the theta band of the electroencephalogram (4 to 8 Hz), in square microvolts.
    eeg_theta_power: NotRequired[float]
    # Cognitive load, from 0 (none) to 1 (full), as estimated by the client from the electroencephalogram.
    cognitive_load: NotRequired[float]
    sleep_stage: NotRequired[SleepStage]
    # Label of the measuring device, printable ASCII.
    source_device: NotRequired[str]
    # The sample that the reading states, for sources that send a sample again with a corrected value.
    sample_id: NotRequired[str]
    # Revision of the sample, e.g. the number of measurements that it summarizes. 0 if absent.
    sample_revision: NotRequired[int]
    # The user's utterance.
    user_message: NotRequired[str]
    # The assistant's reply.
    ai_response: NotRequired[str]
    # True to estimate the sentiment of `user_message` if the reading does not state `sentiment`.
    derive_sentiment: NotRequired[bool]
    # True for a reading of the past, e.g. from a device that was offline.
    backfill: NotRequired[bool]


# Version of the Human State Protocol that this schema follows.
HspVersion = Literal["1.0"]


# The band of the published score. calm 0-19, relaxed 20-39, focused 40-59, stressed 60-79, acute_stress 80-100.
State = Literal["calm", "relaxed", "focused", "stressed", "acute_stress"]


# `none` if no signal counted when the reading was scored (`confidence` 0), e.g. a message that could not be read, or a
# heart rate that movement explains.
Evidence = Literal["none", "weak"]


# The likely cause. `stress`: no steps for ten minutes, from a device that counts them. `exertion`: too high for stress
# alone. `recovery`: falling after exertion, stated or not. `all_day`: most of the day is raised. `waking`: during or
# soon after sleep. `unknown`: any of them.
RaisedCause = Literal["stress", "exertion", "recovery", "all_day", "waking", "unknown"]


class Raised(TypedDict):
    """What a raised heart rate of a known person can mean while nothing else tells: no voice, words, face, variability or stated activity."""

    # Start of the rise.
    since: str
    likely: RaisedCause


class Contributions(TypedDict):
    """What the score consists of, in points."""

    # The score without evidence, which is the same for all people.
    neutral: int
    # Heart rate and heart rate variability.
    cardiovascular: NotRequired[int]
    # Tone of the voice.
    vocal: NotRequired[int]
    # Expression of the face.
    visual: NotRequired[int]
    # Sentiment and urgency.
    textual: NotRequired[int]
    # All signals of other sessions of the same person (`shared_signals`).
    other_session: NotRequired[int]
    # Distance from the score of the signals to the published one, which is held in its state, or kept without evidence.
    held: int


class WithoutPart(TypedDict):
    """The state without one part of the score."""

    state: State
    # Published score, 0 (calm) to 100 (acute stress).
    stress_score: int
    evidence: NotRequired[Evidence]


class WithoutParts(TypedDict):
    """The score without one part of `contributions`: the evidence of the other parts as it counts now, before a state is held."""

    cardiovascular: NotRequired[WithoutPart]
    vocal: NotRequired[WithoutPart]
    visual: NotRequired[WithoutPart]
    textual: NotRequired[WithoutPart]
    other_session: NotRequired[WithoutPart]


# Category of a signal. cardiovascular (heart_rate, sdnn, rmssd), vocal (tone), visual (expression), textual (sentiment,
# urgency).
SignalCategory = Literal["cardiovascular", "vocal", "visual", "textual"]


# What an assistant should do in this state.
SuggestedAction = Literal[
    "maintain_engagement",
    "simplify_and_focus",
    "de-escalate_and_shorten",
    "pause_and_ground",
]


class BaselineProgress(TypedDict):
    """How far the heart rate of the person is learned before this reading."""

    # `known` once `progress` is 1.
    status: Literal["learning", "known"]
    # How far the person's day is learned: at 1, the typical heart rate of their day counts half, beside their resting
    # heart rate.
    progress: float
    # What is known of the person: the weight of the person's own level in the typical value that the score compares a
    # reading with.
    own_share: NotRequired[float]


class AdaptationEffectiveness(TypedDict):
    """Change of the score since the session's previous reading, whose suggested action the client may have followed."""

    previous_action: SuggestedAction
    # Published score of the previous reading.
    previous_score: int
    # Published score now.
    current_score: int
    # Current minus previous score.
    stress_delta: int
    # True if the score fell, or if both scores are in calm or relaxed.
    effective: bool


# Whether variability is derived from the intervals of the last five minutes. `unusable`: more than half of the
# intervals are artifacts, or neighbors differ more than in any healthy breathing rhythm.
RrQuality = Literal["usable", "unusable"]


class DerivedValues(TypedDict):
    """Values that the service estimated from the text of this request (`derive_sentiment`)."""

    # Sentiment that the service estimated from `user_message`: from -0.95 (severe distress) to 0, with up to four
    # decimals.
    sentiment: NotRequired[float]


class SharedSignal(TypedDict):
    """A signal of another session of the same person."""

    # Name of the signal. `activity_level` also stands for `steps_last_minute`.
    signal: Literal[
        "heart_rate",
        "sdnn",
        "rmssd",
        "tone",
        "expression",
        "sentiment",
        "urgency",
        "activity_level",
    ]
    # The session that sent the value.
    session_id: NotRequired[str]
    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str


class TextAnalysis(TypedDict):
    """Whether the service checked the `user_message` of this request."""

    # `analyzed`: the message was checked for safety and, together with `ai_response`, for topics.
    # `unsupported_language`: the message is not in English.
    status: Literal["analyzed", "unsupported_language", "not_understood", "no_own_words"]
    # What was not judged, because it is not the person's own: `quote` (quoted or forwarded text, transcripts of chats),
    # `code` (fences, logs, data), `context` (context blocks and tags of front ends), `tool_result`, and `prompt` (a
    # task that a front end wrote).
    removed: NotRequired[list[Literal["quote", "code", "context", "tool_result", "prompt"]]]
    # States what was not checked.
    detail: NotRequired[str]


class SafetyFinding(TypedDict):
    """The `user_message` of this request may describe a danger to the user."""

    # What the user describes of themselves. `suicidal_thoughts`: thoughts of suicide, or a wish to be dead.
    # `self_harm`: harm to one's own body on purpose. `violence`: harm, threats, coercion, stalking or imprisonment by
    # another person.
    kind: Literal["suicidal_thoughts", "self_harm", "violence"]
    # A fixed sentence per kind for the software that shows the conversation.
    guidance: str


# Which checks of the `user_message` answered.
SafetySource = Literal["built_in", "external", "both"]


class StateReading(TypedDict):
    """The state of a session, in the format of the Human State Protocol 1.0."""

    hsp_version: HspVersion
    # An identifier that the client creates.
    session_id: str
    # The person, if `GET /v1/state` names one (`session_id` is then the session of the person's newest reading), and of
    # each reading in a stream.
    subject_id: NotRequired[str]
    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str
    state: State
    # Published score, 0 (calm) to 100 (acute stress).
    stress_score: int
    # Estimated probability, 0 to 1, that the score is on the right side of the edge between `relaxed` and `focused`.
    confidence: float
    evidence: NotRequired[Evidence]
    raised: NotRequired[Raised]
    contributions: NotRequired[Contributions]
    without: NotRequired[WithoutParts]
    # The timestamp of the reading from which on the state is unchanged.
    state_since: NotRequired[str]
    # Categories of the signals in the reading, as the Human State Protocol defines the field.
    signals_received: list[SignalCategory]
    suggested_action: SuggestedAction
    # One sentence that names the signals that determined the score.
    action_reason: str
    # One instruction that an AI agent can follow.
    recommendation: NotRequired[str]
    # Version of the model that computed the score.
    model_version: int
    baseline: NotRequired[BaselineProgress]
    adaptation_effectiveness: NotRequired[AdaptationEffectiveness]
    rr_quality: NotRequired[RrQuality]
    derived: NotRequired[DerivedValues]
    # Fields of the reading that the service discarded because the person has not consented to their category.
    signals_dropped: NotRequired[list[str]]
    # Signals of other sessions of the same person that count in this state.
    shared_signals: NotRequired[list[SharedSignal]]
    # Topics of the concern that the user describes in this request's conversation turn.
    topics_detected: list[str]
    text_analysis: NotRequired[TextAnalysis]
    safety: NotRequired[SafetyFinding]
    safety_source: NotRequired[SafetySource]
    # Topics that currently go with more stress of this person, most recently seen first.
    active_triggers: NotRequired[list[str]]
    # Topics that no longer go with more stress of this person, most recently seen first.
    resolved_triggers: NotRequired[list[str]]
    # Limitations of the score.
    disclaimer: str


# Stable name of the error.
ProblemCode = Literal[
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
    "service_unavailable",
]


class JsonPosition(TypedDict):
    """Where a body, or a line of a batch, stops being JSON: the first character that may not stand there, or the start of a text or number that is not valid."""

    # Line of the body, from 1.
    line: int
    # Column of the line, from 1, in UTF-16 code units.
    column: int


class Fault(TypedDict):
    """One validation error, at `pointer` in the body or in the query parameter `parameter`."""

    # What is wrong, for people.
    detail: str
    # Stable name of a validation error.
    code: Literal[
        "number_type",
        "event_of_person",
        "too_many_alert_rules",
        "other_condition",
        "integer_type",
        "string_type",
        "object_type",
        "array_type",
        "encoded_twice",
        "boolean_type",
        "enum",
        "extra_forbidden",
        "missing",
        "greater_than_equal",
        "less_than_equal",
        "string_too_short",
        "string_too_long",
        "too_few_items",
        "too_many_items",
        "not_unique",
        "pattern_mismatch",
        "date_time_invalid",
        "repeated",
        "exclusive",
        "url_invalid",
        "url_scheme",
        "url_credentials",
        "url_fragment",
        "address_refused",
        "too_many_webhooks",
        "too_many_source_keys",
        "too_many_links",
        "links_unavailable",
        "fact_end",
        "fact_level",
        "too_many_facts",
        "too_many_disputes",
        "device_unknown",
        "device_label",
        "too_many_devices",
        "ndjson_only",
        "source_form",
        "signing_secret",
        "cursor_invalid",
        "range_empty",
        "time_zone_invalid",
        "time_zone_of_hours",
        "invalid",
        "subject_mismatch",
        "sample_mismatch",
        "idempotency_key_reused",
    ]
    # JSON Pointer (RFC 6901) into the body.
    pointer: NotRequired[str]
    # Name of the query parameter.
    parameter: NotRequired[str]
    # The allowed values of the enumeration.
    allowed: NotRequired[list[str]]
    # The known name that is most similar to an unknown one (`extra_forbidden`).
    suggestion: NotRequired[str]


# Name of a limit, as in `RateLimit-Policy`.
LimitPolicy = Literal[
    "session",
    "new-sessions",
    "month",
    "failed-authentications",
    "streams",
    "exports",
    "batches",
    "requests",
    "posts",
]


class LineProblem(TypedDict):
    """Problem details of a rejected line."""

    # The `code` as a URN.
    type: str
    # Name of the status.
    title: str
    # The HTTP status of the line.
    status: int
    # What is wrong, for people.
    detail: str
    code: ProblemCode
    # The `X-Request-Id` of the response.
    request_id: str
    # The next step, for people and agents, by the form of the request.
    hint: NotRequired[str]
    position: NotRequired[JsonPosition]
    # Maximum age of the timestamp.
    max_age_seconds: NotRequired[int]
    # The first validation errors of a line with the status 422, at most 20 per line and 200 per response.
    errors: NotRequired[list[Fault]]
    # Number of further validation errors that `errors` does not name.
    errors_omitted: NotRequired[int]
    # The limits that a line with the status 429 exceeded.
    violated_policies: NotRequired[list[LimitPolicy]]
    # Seconds to wait before resending the line.
    retry_after_seconds: NotRequired[int]


class LineResult(TypedDict):
    """The result of one line."""

    # Number of the line in the body, or position of the reading in the array.
    line: int
    # The HTTP status that `POST /v1/ingest` would return for this line.
    status: int
    # What happened to a reading with `sample_id` and the status 200. `unchanged`: its body was stored before, or its
    # `sample_revision` is lower than the stored one. `state` is then that of the stored reading.
    sample: NotRequired[Literal["stored", "unchanged", "replaced"]]
    state: NotRequired[StateReading]
    error: NotRequired[LineProblem]


class BatchResult(TypedDict):
    """The result of each line of a batch."""

    # Number of lines with the status 200.
    accepted: int
    # Number of lines with another status.
    rejected: int
    # One result per line, in the order of the lines.
    results: list[LineResult]


class HistoryDatapoint(TypedDict):
    """The state after one reading."""

    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str
    # The session of the reading, in the history of a person.
    session_id: NotRequired[str]
    state: State
    # Published score, 0 (calm) to 100 (acute stress).
    stress_score: int
    # The score that was published, before the person disputed it with a fact.
    scored_before: NotRequired[int]
    # Estimated probability, 0 to 1, that the score is on the right side of the edge between `relaxed` and `focused`.
    confidence: float
    evidence: NotRequired[Evidence]
    raised: NotRequired[Raised]
    # Version of the model that computed the score.
    model_version: int
    # Heart rate.
    heart_rate: NotRequired[float]
    # Standard deviation of normal-to-normal beat intervals over the last minutes.
    sdnn: NotRequired[float]
    # Root mean square of successive differences of normal-to-normal beat intervals over the last minutes.
    rmssd: NotRequired[float]
    tone: NotRequired[Tone]
    expression: NotRequired[Expression]
    # Sentiment of the text, stated or derived, from -1 (negative) to 1 (positive).
    sentiment: NotRequired[float]
    urgency: NotRequired[Urgency]
    activity_level: NotRequired[ActivityLevel]
    # Steps in the last minute.
    steps_last_minute: NotRequired[int]
    # Breaths per minute.
    respiratory_rate: NotRequired[float]
    # Temperature of the skin in degrees Celsius.
    skin_temperature: NotRequired[float]
    # Electrodermal activity, as the conductance of the skin in microsiemens.
    eda: NotRequired[float]
    # Oxygen saturation of the blood in percent.
    spo2: NotRequired[float]
    # Share of successive beat intervals that differ by more than 50 ms, in percent.
    pnn50: NotRequired[float]
    # Mean of the beat intervals in the window of the sensor, in milliseconds.
    mean_ibi: NotRequired[float]
    # Number of beat intervals in the window of the sensor.
    ibi_count: NotRequired[int]
    # Words per minute, as measured by the client's voice analysis.
    speech_rate: NotRequired[float]
    # Variation of the fundamental frequency of the voice, in hertz.
    pitch_variability: NotRequired[float]
    gaze: NotRequired[Gaze]
    posture: NotRequired[Posture]
    # Visual engagement, from 0 (none) to 1 (full), as rated by the client's image analysis.
    engagement: NotRequired[float]
    # Glucose in milligrams per deciliter.
    glucose_mg_dl: NotRequired[float]
    # Glucose in millimoles per liter.
    glucose_mmol_l: NotRequired[float]
    glucose_trend: NotRequired[GlucoseTrend]
    # Power of the alpha band of the electroencephalogram (8 to 13 Hz), in square microvolts.
    eeg_alpha_power: NotRequired[float]
    # Power of the beta band of the electroencephalogram (13 to 30 Hz), in square microvolts.
    eeg_beta_power: NotRequired[float]
    # Power of the theta band of the electroencephalogram (4 to 8 Hz), in square microvolts.
    eeg_theta_power: NotRequired[float]
    # Cognitive load, from 0 (none) to 1 (full), as estimated by the client from the electroencephalogram.
    cognitive_load: NotRequired[float]
    sleep_stage: NotRequired[SleepStage]
    # Label of the measuring device, printable ASCII.
    source_device: NotRequired[str]
    # Topics of the reading's conversation turn.
    topics_detected: NotRequired[list[str]]


# Compares the mean score of the last third of the datapoints with the first third.
Trend = Literal["rising", "falling", "stable"]


class HistorySummary(TypedDict):
    """Figures of the datapoints of the window, except those without `evidence`. min, max and mean are present if there is one."""

    # Number of state changes between consecutive datapoints.
    transitions: int
    # Lowest score.
    min: NotRequired[int]
    # Highest score.
    max: NotRequired[int]
    # Mean score, rounded to one decimal.
    mean: NotRequired[float]


# A time of at least 5 minutes, or its part within the window.
AbsentTime = TypedDict(
    "AbsentTime",
    {
        # RFC 3339 date-time in UTC, with millisecond precision.
        "from": str,
        # RFC 3339 date-time in UTC, with millisecond precision.
        "to": str,
    },
)


class History(TypedDict):
    """The state history of a session or a person for a window."""

    # An identifier that the client creates.
    session_id: NotRequired[str]
    # An identifier that the client creates.
    subject_id: NotRequired[str]
    # Length of the window in minutes.
    minutes: int
    # One datapoint per reading, oldest first.
    datapoints: list[HistoryDatapoint]
    trend: Trend
    summary: HistorySummary
    # Times of the window in which the service did not run, oldest first.
    not_observed: NotRequired[list[AbsentTime]]


# reading (a stored reading and the state after it) or state_change (the payload of webhooks).
StreamEventType = Literal["reading", "state_change"]


class StreamedStateChange(TypedDict):
    """A state change in a stream."""

    # Kind of event.
    event: Literal["state_change"]
    # An identifier that the client creates.
    session_id: str
    previous_state: State
    new_state: State
    # Published score, 0 (calm) to 100 (acute stress).
    stress_score: int
    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str
    # An identifier that the client creates.
    subject_id: NotRequired[str]


# ndjson (one JSON object per line) or csv (one row per reading, RFC 4180).
ExportFormat = Literal["ndjson", "csv"]


class ExportedSubmission(TypedDict):
    """The stored fields of a reading."""

    # An identifier that the client creates.
    session_id: NotRequired[str]
    # The person across sessions.
    subject_id: NotRequired[str]
    # Time of measurement.
    timestamp: str
    # Heart rate.
    heart_rate: NotRequired[float]
    # Standard deviation of normal-to-normal beat intervals over the last minutes.
    sdnn: NotRequired[float]
    # Root mean square of successive differences of normal-to-normal beat intervals over the last minutes.
    rmssd: NotRequired[float]
    # Beat-to-beat intervals in milliseconds, oldest first.
    rr_intervals_ms: NotRequired[list[int]]
    tone: NotRequired[Tone]
    expression: NotRequired[Expression]
    # Sentiment of the text, from -1 (negative) to 1 (positive).
    sentiment: NotRequired[float]
    urgency: NotRequired[Urgency]
    activity_level: NotRequired[ActivityLevel]
    # Steps in the last minute.
    steps_last_minute: NotRequired[int]
    # Breaths per minute.
    respiratory_rate: NotRequired[float]
    # Temperature of the skin in degrees Celsius.
    skin_temperature: NotRequired[float]
    # Electrodermal activity, as the conductance of the skin in microsiemens.
    eda: NotRequired[float]
    # Oxygen saturation of the blood in percent.
    spo2: NotRequired[float]
    # Share of successive beat intervals that differ by more than 50 ms, in percent.
    pnn50: NotRequired[float]
    # Mean of the beat intervals in the window of the sensor, in milliseconds.
    mean_ibi: NotRequired[float]
    # Number of beat intervals in the window of the sensor.
    ibi_count: NotRequired[int]
    # Words per minute, as measured by the client's voice analysis.
    speech_rate: NotRequired[float]
    # Variation of the fundamental frequency of the voice, in hertz.
    pitch_variability: NotRequired[float]
    gaze: NotRequired[Gaze]
    posture: NotRequired[Posture]
    # Visual engagement, from 0 (none) to 1 (full), as rated by the client's image analysis.
    engagement: NotRequired[float]
    # Glucose in milligrams per deciliter.
    glucose_mg_dl: NotRequired[float]
    # Glucose in millimoles per liter.
    glucose_mmol_l: NotRequired[float]
    glucose_trend: NotRequired[GlucoseTrend]
    # Power of the alpha band of the electroencephalogram (8 to 13 Hz), in square microvolts.
    eeg_alpha_power: NotRequired[float]
    # Power of the beta band of the electroencephalogram (13 to 30 Hz), in square microvolts.
    eeg_beta_power: NotRequired[float]
    # Power of the theta band of the electroencephalogram (4 to 8 Hz), in square microvolts.
    eeg_theta_power: NotRequired[float]
    # Cognitive load, from 0 (none) to 1 (full), as estimated by the client from the electroencephalogram.
    cognitive_load: NotRequired[float]
    sleep_stage: NotRequired[SleepStage]
    # Label of the measuring device, printable ASCII.
    source_device: NotRequired[str]
    # The sample that the reading states, for sources that send a sample again with a corrected value.
    sample_id: NotRequired[str]
    # Revision of the sample, e.g. the number of measurements that it summarizes. 0 if absent.
    sample_revision: NotRequired[int]
    # The user's utterance.
    user_message: NotRequired[str]
    # The assistant's reply.
    ai_response: NotRequired[str]
    # True to estimate the sentiment of `user_message` if the reading does not state `sentiment`.
    derive_sentiment: NotRequired[bool]
    # True for a reading of the past, e.g. from a device that was offline.
    backfill: NotRequired[bool]


class ExportedComputation(TypedDict):
    """The fields that the service computed for a reading. `state`, `stress_score` and `confidence` are those of the history. `heart_rate`, `sdnn` and `rmssd` are present if they were derived from `rr_intervals_ms`."""

    state: State
    # Published score, 0 (calm) to 100 (acute stress).
    stress_score: int
    # The score that was published, before the person disputed it with a fact.
    scored_before: NotRequired[int]
    # Estimated probability, 0 to 1, that the score is on the right side of the edge between `relaxed` and `focused`.
    confidence: float
    # Version of the model that computed the score.
    model_version: int
    # Heart rate.
    heart_rate: NotRequired[float]
    # Standard deviation of normal-to-normal beat intervals over the last minutes.
    sdnn: NotRequired[float]
    # Root mean square of successive differences of normal-to-normal beat intervals over the last minutes.
    rmssd: NotRequired[float]
    # Sentiment that was derived from `user_message`.
    sentiment: NotRequired[float]
    rr_quality: NotRequired[RrQuality]
    # Categories of the signals in the reading, as the Human State Protocol defines the field.
    signals_received: list[SignalCategory]
    suggested_action: SuggestedAction
    # One sentence that names the signals that determined the score.
    action_reason: str
    # One instruction that an AI agent can follow.
    recommendation: NotRequired[str]
    previous_state: NotRequired[State]
    adaptation_effectiveness: NotRequired[AdaptationEffectiveness]
    # Topics of the reading's conversation turn.
    topics_detected: list[str]
    # Topics that went with more stress of the person after this reading.
    active_triggers: NotRequired[list[str]]
    # Topics that no longer went with more stress of the person after this reading.
    resolved_triggers: NotRequired[list[str]]


class ExportedReading(TypedDict):
    """A stored reading."""

    reading: ExportedSubmission
    computed: ExportedComputation
    # The id of an event.
    cursor: str


# read (state and history of the session), ingest (send its readings) or feedback (send its feedback).
TokenScope = Literal["ingest", "read", "feedback"]


# An app that sends its data on its own schedule. `generic`: objects with `time`, `heart_rate` and other signals, as
# Tasker, Connect IQ or Home Assistant are set up to send them. `health_connect`: the app HC Webhook. `apple_shortcuts`:
# two lists of times and values. `open_wearables`, `terra` and `junction` are hubs, which send data of many people.
Source = Literal[
    "health_auto_export",
    "health_connect",
    "apple_shortcuts",
    "generic",
    "open_wearables",
    "terra",
    "junction",
]


# The body as the source sends it.
SourceBody = dict[str, object]


class SourceValues(TypedDict):
    """The outcomes of the values of a body, in numbers of values."""

    # Values of readings and reports.
    used: int
    # Values of a minute with several, of which the reading has the mean or sum.
    merged: int
    # Values of a whole day, e.g. a resting heart rate.
    day_summary: int
    # Values that stand for no measurement, e.g. with confidence 0.
    placeholder: int
    # Times, devices, units and other values that say what a value means.
    context: int
    # Values of fields that are not read.
    unknown_field: int
    # Values that are not stored. `skipped` has the reasons, in numbers of samples or readings.
    refused: int


class SourceResult(TypedDict):
    """The outcomes of the samples of a body."""

    # Newly stored readings.
    stored: int
    # Readings that are already stored.
    unchanged: int
    # Stored minutes that a sample or field was added to.
    replaced: int
    # Moods of a moment that are stored as feedback of the person.
    reports: NotRequired[int]
    # Samples that are not stored, by reason. `too_old`: before the retention of readings. `no_consent`: the person does
    # not allow it. `rate`: too many readings in an hour. `erased`: the person was erased in the meantime.
    # `unknown_person`: the account has no data, consent or source key of the person that a hub names. `not_read`:
    # another kind than heart rate, variability, breathing, steps or workouts. `no_heart_data`: a minute of steps alone.
    # `other_device`: a more accurate device measured the same minute. `invalid`: a value or time that is impossible or
    # not readable.
    skipped: dict[str, int]
    values: NotRequired[SourceValues]
    # What the service inferred from the values, e.g. which field is the time, and the names of fields that it does not
    # read or cannot choose from.
    notes: NotRequired[list[str]]


# What a device is.
DeviceKind = Literal["watch", "strap", "ring", "phone", "camera", "microphone", "app"]


class DeviceRequest(TypedDict):
    """A device to create."""

    # The person whose device it is.
    subject_id: str
    # Name of the device for people, printable ASCII.
    name: str
    kind: DeviceKind


class Device(TypedDict):
    """A device of a person, or a source key of a person."""

    # A device of `POST /v1/devices`, in place of `session_id`.
    device_id: str
    # The person whose device it is.
    subject_id: str
    # Name of the device for people, printable ASCII.
    name: str
    kind: DeviceKind
    source: NotRequired[Source]
    # Time of the creation.
    created_at: str
    # Timestamp of the newest stored reading, also a backfilled one.
    last_reading_at: str | None


class DeviceList(TypedDict):
    """Devices of a person, newest first."""

    # The devices.
    devices: list[Device]


class SourceKeyRequest(TypedDict):
    """A source key to create, or the connection of a hub."""

    # The person whose data the key writes.
    subject_id: NotRequired[str]
    source: Source
    # The secret with which the hub signs, as it shows it.
    signing_secret: NotRequired[str]
    # Validity of the key, in days. 180 if absent.
    expires_in_days: NotRequired[int]
    # A time zone of the IANA database.
    time_zone: NotRequired[str]


class SourceKeyPost(TypedDict):
    """What the newest request with a source key contained."""

    # True if at least one of its samples is stored.
    usable: bool
    # The device of its newest sample.
    device: NotRequired[str]
    # The reasons for which samples were skipped, as in the response to the request.
    skipped: list[str]
    # Hours for which the account must keep readings (`accounts set ACCOUNT keep-readings HOURS`, or
    # `RETENTION_READINGS_HOURS`), so that the samples are stored that were skipped as `too_old`.
    readings_hours: NotRequired[int]


class SourceKey(TypedDict):
    """A key with which one app writes data of one person, or the connection of a hub, which has no person, prefix and key."""

    # Identifies the source key.
    id: str
    # An identifier that the client creates.
    subject_id: NotRequired[str]
    source: Source
    # The first characters of the key.
    prefix: NotRequired[str]
    # A time zone of the IANA database.
    time_zone: NotRequired[str]
    # Time of the creation.
    created_at: str
    # Time at which the source key ends, at the latest with the key that created it.
    expires_at: str
    # Time of the last request with the key, rounded down to the hour.
    last_used_at: str | None
    last_post: NotRequired[SourceKeyPost]
    # Id of the API key with which the source key ends.
    maker_key_id: NotRequired[str]
    # The key: `wk_` and 32 characters.
    key: NotRequired[str]


class SourceKeyList(TypedDict):
    """Source keys, newest first."""

    # URL at which apps reach the service, without a slash at its end.
    public_url: NotRequired[str]
    # The source keys.
    source_keys: list[SourceKey]


# What the page of a link may do. read (read and export), feedback (report how the person feels), dispute (state facts
# of the past, e.g. that the device was not worn), correct (remove a topic, which the page lists with `read`), connect
# (create source keys and upload files), withdraw (withdraw consent), erase (erase the person).
LinkGrant = Literal["read", "feedback", "dispute", "correct", "connect", "withdraw", "erase"]


class LinkRequest(TypedDict):
    """A link to create."""

    # What the page may do.
    grants: NotRequired[list[LinkGrant]]
    # Validity of the link, in days. 30 if absent.
    expires_in_days: NotRequired[int]


class Link(TypedDict):
    """A link to the page of one person."""

    # Identifies the link.
    id: str
    # An identifier that the client creates.
    subject_id: str
    # What the page may do.
    grants: list[LinkGrant]
    # Time of the creation.
    created_at: str
    # Time until which the link can be opened.
    open_until: str
    # Time at which the link ends, at the latest with the key that created it.
    expires_at: str
    # Time at which the link was opened.
    opened_at: str | None
    # The URL for the person.
    url: NotRequired[str]


class LinkList(TypedDict):
    """Links, newest first."""

    # The links.
    links: list[Link]


class TokenRequest(TypedDict):
    """The session, the person and the scopes of a token."""

    # An identifier that the client creates.
    session_id: str
    # The person whose readings the token may send.
    subject_id: NotRequired[str]
    # The scopes of the token.
    scopes: list[TokenScope]
    # Validity of the token, in seconds. 600 if absent.
    expires_in: NotRequired[int]


class SessionToken(TypedDict):
    """A token for one session."""

    # The token: a signed JSON Web Token.
    token: str
    # An identifier that the client creates.
    session_id: str
    # The scopes of the token.
    scopes: list[TokenScope]
    # When the token expires, at the latest with its key.
    expires_at: str


# The strongest signal in the direction of the state, as of the newest reading: the heart rate or its variability beside
# a typical one, or what the voice, the face or the words express. `calming`: the state is held until the calmer signals
# last, and no signal raises the score.
Cause = Literal[
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
    "textual_positive",
]


class SessionPoint(TypedDict):
    """The score of a reading."""

    # The time of the reading.
    timestamp: str
    # The score of the reading.
    stress_score: int


class SessionSummary(TypedDict):
    """A session with its latest state."""

    # An identifier that the client creates.
    session_id: str
    # The person of the session.
    subject_id: NotRequired[str]
    # When the service accepted the first reading.
    started_at: str
    # The time of the newest reading.
    timestamp: str
    state: State
    # The score as of the newest reading.
    stress_score: int
    # The confidence of the score.
    confidence: float
    evidence: NotRequired[Evidence]
    # The timestamp of the reading from which on the state is unchanged.
    state_since: NotRequired[str]
    cause: NotRequired[Cause]
    # Version of the model that computed the score.
    model_version: int
    # The time at which the signals of the newest reading become stale, 300 seconds after `timestamp`.
    valid_until: str
    # The scores of the session's newest readings, oldest first, without backfilled readings and readings without
    # evidence.
    points: NotRequired[list[SessionPoint]]


# The state of a session.
SessionState = Literal["calm", "relaxed", "focused", "stressed", "acute_stress", "unknown", "ended"]


# An order of sessions.
SessionOrder = Literal["started", "score", "activity"]


class SessionStateCounts(TypedDict):
    """The number of sessions by state."""

    # A number of sessions.
    calm: int
    # A number of sessions.
    relaxed: int
    # A number of sessions.
    focused: int
    # A number of sessions.
    stressed: int
    # A number of sessions.
    acute_stress: int
    # A number of sessions.
    unknown: int
    # A number of sessions.
    ended: int


class SessionList(TypedDict):
    """A page of sessions."""

    # The sessions in the requested order.
    sessions: list[SessionSummary]
    # Cursor of the next page.
    next_cursor: str | None
    # The time of the snapshot.
    as_of: NotRequired[str]
    states: NotRequired[SessionStateCounts]
    # The account of the key, the same for all of its keys.
    account_id: NotRequired[str]


# observed (detected, no pattern of stress yet), active (it goes with more stress), resolved (it no longer does).
TriggerStatus = Literal["observed", "active", "resolved"]


# How certain it is that the effect of a topic is above 0: weak (less than 95 %), moderate (from 95 %), strong (from
# 99.5 %).
TriggerEvidence = Literal["weak", "moderate", "strong"]


class TriggerEntry(TypedDict):
    """Stress of one topic."""

    status: TriggerStatus
    # Mean stress score over all sightings, rounded to one decimal.
    avg_stress: float
    # Highest stress score of a sighting.
    peak_stress: int
    # Number of distinct sessions in which the topic was seen.
    sessions: int
    # RFC 3339 date-time in UTC, with millisecond precision.
    last_seen: str
    # Points of stress above this person's other turns and ordinary hours, rounded to one decimal.
    effect: NotRequired[float]
    evidence: NotRequired[TriggerEvidence]


# One entry per topic, by topic name.
TriggersByTopic = dict[str, TriggerEntry]


class TriggerProfile(TypedDict):
    """The topics of one person and the stress of each topic."""

    # An identifier that the client creates.
    subject_id: str
    triggers: TriggersByTopic
    # Names of the active topics, most recently seen first.
    active: list[str]
    # Names of the resolved topics, most recently seen first.
    resolved: list[str]


class LatestHeartRate(TypedDict):
    """The newest heart rate of the baseline."""

    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str
    # Heart rate in beats per minute, smoothed over the last half minute.
    bpm: float
    # False if the baseline does not learn from this reading, because movement explains the heart rate.
    learned: bool


class LatestVariability(TypedDict):
    """The newest heart rate variability of the baseline."""

    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str
    # Heart rate variability in milliseconds.
    ms: float
    # False if the baseline does not learn from this reading, because movement explains the heart rate.
    learned: bool


class HeartRateBin(TypedDict):
    """Time that the person spent in a range of 2 bpm."""

    # Lower edge of the range in beats per minute.
    from_bpm: int
    # Time in seconds.
    seconds: float


class HeartRateBaseline(TypedDict):
    """Baseline of the heart rate."""

    # Resting heart rate in beats per minute: a low quantile of the histogram.
    resting_bpm: float
    # Heart rate in beats per minute that is typical of the person at this time of day.
    typical_bpm: NotRequired[float]
    # Rise above `typical_bpm`, in beats per minute, that counts as stressed at this time of day.
    stressed_rise_bpm: NotRequired[float]
    # What is known of the person: the weight of the person's own level in the typical value that the score compares a
    # reading with.
    own_share: float
    # Time of the readings that the baseline contains, in seconds.
    learned_seconds: float
    # Time at each heart rate, lowest first.
    histogram: list[HeartRateBin]
    latest: LatestHeartRate


class VariabilityBaseline(TypedDict):
    """Baseline of SDNN or RMSSD, two measures of heart rate variability."""

    # Typical value in milliseconds, to which readings are compared.
    typical_ms: float
    # What is known of the person: the weight of the person's own level in the typical value that the score compares a
    # reading with.
    own_share: float
    # Geometric mean of the person's readings in milliseconds.
    own_mean_ms: NotRequired[float]
    # Time of the readings that the baseline contains, in seconds.
    learned_seconds: float
    latest: LatestVariability


class DeviceBaseline(TypedDict):
    """Variability that one device measured."""

    # Label of the measuring device, printable ASCII.
    source_device: NotRequired[str]
    sdnn: NotRequired[VariabilityBaseline]
    rmssd: NotRequired[VariabilityBaseline]


class Baseline(TypedDict):
    """Typical values of one person, learned across sessions."""

    heart_rate: NotRequired[HeartRateBaseline]
    sdnn: NotRequired[VariabilityBaseline]
    rmssd: NotRequired[VariabilityBaseline]
    # Variability per `source_device`, newest first, then that of readings without a device.
    devices: NotRequired[list[DeviceBaseline]]


class TopicStatusChange(TypedDict):
    """A change of the status of a topic."""

    status: TriggerStatus
    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str


# The latest 20 status changes of each topic, by topic name.
StatusChangesByTopic = dict[str, list[TopicStatusChange]]


class SubjectProfile(TypedDict):
    """What the service has learned about one person."""

    # An identifier that the client creates.
    subject_id: str
    # Number of stored sessions of the person.
    sessions: int
    # When the service accepted the first reading of the oldest stored session.
    first_session_started_at: NotRequired[str]
    # When the service accepted the first reading of the newest stored session.
    last_session_started_at: NotRequired[str]
    baseline: Baseline
    status_changes: NotRequired[StatusChangesByTopic]


# Length of a row of a summary.
SummaryInterval = Literal["hour", "day"]


class StateSeconds(TypedDict):
    """How long each state counted, in seconds."""

    # A duration in seconds, to the millisecond.
    calm: float
    # A duration in seconds, to the millisecond.
    relaxed: float
    # A duration in seconds, to the millisecond.
    focused: float
    # A duration in seconds, to the millisecond.
    stressed: float
    # A duration in seconds, to the millisecond.
    acute_stress: float


class ValueRange(TypedDict):
    """Mean and extremes of a value over the readings of a row, rounded to one decimal."""

    # Arithmetic mean.
    mean: float
    # Lowest value.
    min: float
    # Highest value.
    max: float


class SummaryRow(TypedDict):
    """An hour or a day of a person."""

    # RFC 3339 date-time in UTC, with millisecond precision.
    start: str
    # Local date of a day.
    date: NotRequired[str]
    # Number of readings with evidence. 0 if only the state of an earlier reading counts in this row. `stress_score` is
    # absent then.
    readings: int
    state_seconds: StateSeconds
    stress_score: NotRequired[ValueRange]
    heart_rate: NotRequired[ValueRange]
    # True for a day of the last two weeks in which the heart rate was raised as a whole (`raised.likely` `all_day`).
    raised_day: NotRequired[bool]
    # Names of the topics of the readings, sorted.
    topics: list[str]


# A page of the hours or days of a person, oldest first.
SubjectSummary = TypedDict(
    "SubjectSummary",
    {
        # An identifier that the client creates.
        "subject_id": str,
        "interval": SummaryInterval,
        # A time zone of the IANA database.
        "time_zone": str,
        # RFC 3339 date-time in UTC, with millisecond precision.
        "from": str,
        # RFC 3339 date-time in UTC, with millisecond precision.
        "to": str,
        # The hours or days with data, oldest first.
        "rows": list[SummaryRow],
        # Times of the window in which the service did not run, oldest first.
        "not_observed": NotRequired[list[AbsentTime]],
        # Pass it as `cursor` to get the next page.
        "next_cursor": str | None,
    },
)


# What explains the report.
NoteCode = Literal[
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
    "other",
]


# exercise (with its `level`), rest, sleep, not_worn (the device), other_person (wore the device), invalid (what was
# measured is wrong).
FactKind = Literal["exercise", "rest", "sleep", "not_worn", "other_person", "invalid"]


class FactSubmission(TypedDict):
    """What happened to a person in an interval."""

    # An identifier that the client creates.
    subject_id: str
    kind: FactKind
    level: NotRequired[ActivityLevel]
    # A time, RFC 3339 in UTC (`Z` or `+00:00`).
    start: str
    # A time, RFC 3339 in UTC (`Z` or `+00:00`).
    end: NotRequired[str]
    # Version of the fact.
    revision: NotRequired[int]


class Fact(TypedDict):
    """A stored fact."""

    # An identifier that the client creates.
    fact_id: str
    # An identifier that the client creates.
    subject_id: str
    kind: FactKind
    level: NotRequired[ActivityLevel]
    # RFC 3339 date-time in UTC, with millisecond precision.
    start: str
    # RFC 3339 date-time in UTC, with millisecond precision.
    end: NotRequired[str]
    # Version of the fact.
    revision: int
    # The source that stated it. `person`: the person, on the page of a link.
    source: NotRequired[str]


class FactList(TypedDict):
    """A page of facts."""

    # The facts, by `start`.
    facts: list[Fact]
    # Cursor of the next page.
    next_cursor: str | None


class FeedbackSubmission(TypedDict):
    """How stressed a person felt at one time."""

    # An identifier that the client creates.
    session_id: NotRequired[str]
    # The person, for a report that belongs to no single session.
    subject_id: NotRequired[str]
    # The time that the report is about, or the end of this time if `duration_seconds` is given.
    timestamp: str
    # Length of the interval that the report is about, up to 8 hours.
    duration_seconds: NotRequired[int]
    # How stressed the person felt, from 0 (not at all) to 10 (as much as imaginable). 5 and more count as stressed.
    stress: int
    note_code: NotRequired[NoteCode]


class PublishedScore(TypedDict):
    """The score that the service had published for the time of a report, when it stored the report."""

    # Score of one reading, or the mean over the readings of the interval, rounded.
    stress_score: int
    state: State
    # Version of the model that computed the score.
    model_version: int
    # Number of readings whose scores count.
    readings: int


class Feedback(TypedDict):
    """A stored report."""

    # Identifies a report.
    id: str
    # The session that the report named.
    session_id: NotRequired[str]
    # The person.
    subject_id: NotRequired[str]
    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str
    # Length of the interval that ends at `timestamp`, in seconds.
    duration_seconds: NotRequired[int]
    # How stressed the person felt, from 0 (not at all) to 10 (as much as imaginable). 5 and more count as stressed.
    stress: int
    note_code: NotRequired[NoteCode]
    published: NotRequired[PublishedScore]
    # RFC 3339 date-time in UTC, with millisecond precision.
    recorded_at: str


class FeedbackList(TypedDict):
    """A page of reports."""

    # The reports, newest `timestamp` first.
    feedback: list[Feedback]
    # Cursor of the next page.
    next_cursor: str | None


class Estimate(TypedDict):
    """An estimate with its 95 % interval, each rounded to three decimals."""

    # The estimate.
    value: float
    # Lower end of the 95 % interval.
    low: float
    # Upper end of the 95 % interval.
    high: float


class CalibrationBand(TypedDict):
    """The reports whose published score is in one band. `mean_score` and `mean_stress` are absent without reports. `stressed_share` is the share of stressed reports, absent below 5 reports."""

    state: State
    # Number of reports.
    reports: int
    # Mean of the published scores, to one decimal.
    mean_score: NotRequired[float]
    # Mean of the reported stress (0 to 10), to one decimal.
    mean_stress: NotRequired[float]
    stressed_share: NotRequired[Estimate]


class DisputeCount(TypedDict):
    """The disputes of one kind."""

    kind: FactKind
    # Number of facts.
    facts: int
    # Number of people who stated them.
    people: int


class Agreement(TypedDict):
    """How well the published score agrees with reports."""

    # The person.
    subject_id: NotRequired[str]
    # measured, or not_enough_reports (`auc` is absent).
    status: Literal["measured", "not_enough_reports"]
    # Version of the model that computed the score.
    model_version: int
    # Number of reports that were read, the newest 10,000 at most.
    reports: int
    # Largest number of these reports of one person, also of those that do not count.
    person_reports_max: int
    # Number of these reports that count and have a published score of `model_version`.
    scored_reports: int
    # Number of scored reports with a `stress` of 5 or more.
    stressed_reports: int
    # Number of groups of scored reports.
    groups: int
    auc: NotRequired[Estimate]
    # The scored reports by band of their published score, from calm to acute_stress.
    calibration: list[CalibrationBand]
    # The facts with which people disputed states on their pages, by kind.
    disputes: NotRequired[list[DisputeCount]]


# Category of signals that a person can allow. cardiovascular (heart rate, its variability, and other measurements of
# the body), vocal (tone), visual (expression), textual (sentiment, urgency and texts), movement (activity and steps).
ConsentCategory = Literal["cardiovascular", "vocal", "visual", "textual", "movement"]


# Where the person is assessed.
ConsentContext = Literal["personal", "care", "work", "education", "research"]


class ConsentSubmission(TypedDict):
    """What a person allows. `purposes`, `event_time` and `record_id` have the names of ISO/IEC TS 27560."""

    # The categories that the person allows.
    categories: list[ConsentCategory]
    # Names of the purposes that the person agreed to, as your consent form defines them.
    purposes: list[str]
    context: ConsentContext
    # Time at which the person gave, changed or withdrew the consent.
    event_time: str
    # From this time on, the consent is not valid.
    expires_at: NotRequired[str]
    # Id of your own record of this consent, e.g. of the signed form.
    record_id: NotRequired[str]


class Consent(TypedDict):
    """A version of a person's consent."""

    # An identifier that the client creates.
    subject_id: str
    # Number of the version, from 1.
    version: int
    # The categories that the person allows.
    categories: list[ConsentCategory]
    # Names of the purposes that the person agreed to, as your consent form defines them.
    purposes: list[str]
    context: ConsentContext
    # RFC 3339 date-time in UTC, with millisecond precision.
    event_time: str
    # RFC 3339 date-time in UTC, with millisecond precision.
    expires_at: NotRequired[str]
    # Id of your own record of this consent, e.g. of the signed form.
    record_id: NotRequired[str]
    # State of the version. `withdrawn` has no category. `expired` is past `expires_at`. `unverified` allows nothing:
    # the service did not write the stored version as it is.
    event_state: Literal["given", "withdrawn", "expired", "unverified"]
    # RFC 3339 date-time in UTC, with millisecond precision.
    recorded_at: str


class ConsentVersions(TypedDict):
    """A page of the versions of a consent, newest first."""

    # The versions, newest first.
    versions: list[Consent]
    # Pass it as `cursor` to get the next page.
    next_cursor: str | None


class Erasure(TypedDict):
    """The result of an erasure."""

    # An identifier that the client creates.
    subject_id: str
    # Always true.
    deleted: bool
    # Number of erased sessions.
    sessions_removed: int
    # Number of erased topics of the trigger profile.
    triggers_removed: int
    # The number of `sessions_removed`, for clients that read this name.
    sessions_deleted: int
    # The number of `triggers_removed`, for clients that read this name.
    trigger_entries_deleted: int
    # A signed statement of this erasure: a JSON Web Signature (RFC 7515) of the other fields, the id of the key that
    # requested it (`key_id`) and the time (`erased_at`).
    receipt: str


class Access(TypedDict):
    """One or more equal requests of a key in a minute."""

    # Start of the minute.
    minute: str
    # What a request did with a person's data. `write` is a replacement of stored readings by a reading with the same
    # `sample_id`, or of their states by a fact.
    action: Literal["read", "export", "erase", "write"]
    # The `operationId` of the requests.
    operation: str
    # Id of the key, as `keys list` shows it.
    key_id: str
    # How the caller proved its identity. key (an API key), token (a session token that the key issued), link (the page
    # of the person).
    credential: Literal["key", "token", "link"]
    # Whose data a request concerned. subject (this person), account (all persons of the account).
    scope: Literal["subject", "account"]


class AccessList(TypedDict):
    """A page of accesses."""

    # An identifier that the client creates.
    subject_id: str
    # The accesses, newest first.
    accesses: list[Access]
    # Cursor of the next page.
    next_cursor: str | None


class ReceiptKey(TypedDict):
    """A public key in the format of a JSON Web Key (RFC 8037)."""

    # Type of the key.
    kty: Literal["OKP"]
    # Curve of the key.
    crv: Literal["Ed25519"]
    # Algorithm of the signatures.
    alg: Literal["EdDSA"]
    # Use of the key.
    use: Literal["sig"]
    # Id of the key.
    kid: str
    # The public key, base64url.
    x: str


class ReceiptKeyList(TypedDict):
    """The public keys of deletion receipts."""

    # The keys, newest first.
    keys: list[ReceiptKey]


# Kind of event. state_change (a session's state changed), alert (a rule of `/v1/alerts` fired for a person),
# trigger_active (a topic of a person became active in Trigger Memory).
EventKind = Literal["state_change", "alert", "trigger_active"]


# active (deliveries succeed), failed (at least three attempts in a row have failed: later events are still sent, and
# the first success makes the webhook active), disabled (the receiver responded with 410: registering the same url,
# session and person again enables the webhook).
WebhookStatus = Literal["active", "failed", "disabled"]


# When the service retries a failed delivery. standard (1, 4 and 16 seconds after the preceding failure), extended (with
# growing pauses of at most one hour, until the event is 24 hours old).
WebhookRetry = Literal["standard", "extended"]


class WebhookRegistration(TypedDict):
    """A webhook to register."""

    # The absolute https URL that receives the events, at most 1,024 characters.
    url: str
    # Kinds of events to receive, without duplicates.
    events: list[EventKind]
    # The session to watch.
    session_id: NotRequired[str]
    # The person whose sessions to watch, also later ones.
    subject_id: NotRequired[str]
    retry: NotRequired[WebhookRetry]
    # The states whose changes the webhook receives: only events with one of them as `new_state` are delivered.
    states: NotRequired[list[State]]


class DeliveryAttempt(TypedDict):
    """One attempt."""

    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str
    # Status of the receiver's response.
    status: NotRequired[int]
    # Why there was no complete response. timeout (not complete within 10 seconds), name_not_resolved, address_refused
    # (the resolved address is not an allowed target), tls_failed, connection_failed (refused, reset or broken, also
    # during a response), secret_unreadable (the deployment's SECRETS_KEY has changed: rotate the webhook's secret).
    error: NotRequired[Literal[
        "timeout",
        "name_not_resolved",
        "address_refused",
        "tls_failed",
        "connection_failed",
        "secret_unreadable",
    ]]
    # Duration of the attempt in milliseconds.
    duration_ms: int
    # The first 1,024 bytes of the receiver's response as text.
    answer: NotRequired[str]


class Webhook(TypedDict):
    """A registered webhook."""

    # Identifies a webhook.
    id: str
    # The URL that receives the events, as in the first registration.
    url: str
    # Kinds of events that the webhook receives.
    events: list[EventKind]
    # The watched session.
    session_id: NotRequired[str]
    # The person whose sessions the webhook watches.
    subject_id: NotRequired[str]
    status: WebhookStatus
    retry: NotRequired[WebhookRetry]
    # The states whose changes the webhook receives.
    states: NotRequired[list[State]]
    # The secret that signs deliveries. `whsec_` and the base64 of 32 random bytes.
    secret: NotRequired[str]
    # Failed attempts since the last successful attempt.
    consecutive_failures: int
    # End of the newest failed attempt.
    last_failure_at: NotRequired[str]
    last_failure: NotRequired[DeliveryAttempt]
    # Time of the next attempt of the delivery that failed last.
    next_attempt_at: NotRequired[str]
    # Time of the newest stored successful delivery.
    last_success_at: NotRequired[str]
    # Number of pending deliveries, counted up to 1,000.
    queued_deliveries: NotRequired[int]
    # RFC 3339 date-time in UTC, with millisecond precision.
    created_at: str


class WebhookList(TypedDict):
    """The webhooks of the account."""

    # Oldest first.
    webhooks: list[Webhook]


class StateChange(TypedDict):
    """The payload of a delivery, sent when a session's state changed."""

    # Kind of event.
    event: Literal["state_change"]
    # An identifier that the client creates.
    session_id: str
    previous_state: State
    new_state: State
    # Stress score after the change.
    stress_score: int
    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str


# stressed (the state is stressed or above for `minutes`), above_usual (the score is above the usual level of the person
# for `minutes`: the 75th percentile of the mean scores of the same four UTC hours of the last 28 days, from seven days
# on.
AlertCondition = Literal["stressed", "above_usual", "no_data", "trigger_active"]


class Alert(TypedDict):
    """The payload of a delivery, sent when an alert rule fired."""

    # Kind of event.
    event: Literal["alert"]
    # Identifies an alert rule.
    alert_id: str
    # An identifier that the client creates.
    subject_id: str
    condition: AlertCondition
    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str


class TriggerActive(TypedDict):
    """The payload of a delivery, sent when a topic of a person became active."""

    # Kind of event.
    event: Literal["trigger_active"]
    # An identifier that the client creates.
    subject_id: str
    # Name of a psychological topic, in snake_case.
    topic: str
    # RFC 3339 date-time in UTC, with millisecond precision.
    timestamp: str


# pending (queued, in flight or waiting for a retry), delivered (an attempt got a 2xx), failed (no further attempt
# unless you retry the delivery).
DeliveryOutcome = Literal["pending", "delivered", "failed"]


# Why the delivery failed. attempts_exhausted (the last retry failed), disabled (the receiver responded with 410),
# queue_full (the webhook had 100,000 queued deliveries, and this one was among the oldest).
FailureReason = Literal["attempts_exhausted", "disabled", "queue_full"]


class EventDelivery(TypedDict):
    """A delivery of an event of another kind than state_change."""

    # Identifies a delivery.
    id: str
    # Identifies a webhook.
    webhook_id: str
    event: EventKind
    status: DeliveryOutcome
    # The body of the event, as described for its kind at the registration of a webhook.
    payload: dict[str, object]
    # The attempts of the last schedule, oldest first.
    attempts: list[DeliveryAttempt]
    reason: NotRequired[FailureReason]


# Local hours of a day in which the rule does not fire.
QuietHours = TypedDict(
    "QuietHours",
    {
        # A local time, hours and minutes.
        "from": str,
        # A local time, hours and minutes.
        "to": str,
        # A time zone of the IANA database.
        "time_zone": str,
    },
)


class AlertRuleRequest(TypedDict):
    """An alert rule to create."""

    condition: AlertCondition
    # How long the score is high, in minutes.
    minutes: NotRequired[int]
    # Hours since the newest live reading of the person.
    hours: NotRequired[int]
    # The people that the rule watches.
    subject_ids: NotRequired[list[str]]
    quiet_hours: NotRequired[QuietHours]


class AlertRule(TypedDict):
    """An alert rule."""

    # Identifies an alert rule.
    id: str
    condition: AlertCondition
    # How long the score is high, in minutes.
    minutes: NotRequired[int]
    # Hours since the newest live reading of the person.
    hours: NotRequired[int]
    # The watched people, without those who were erased since.
    subject_ids: NotRequired[list[str]]
    quiet_hours: NotRequired[QuietHours]
    # RFC 3339 date-time in UTC, with millisecond precision.
    created_at: str
    # Time at which the rule last fired for anyone.
    last_fired_at: NotRequired[str]


class AlertRuleList(TypedDict):
    """The alert rules of the account."""

    # Oldest first.
    alerts: list[AlertRule]


class TestAccepted(TypedDict):
    """A queued sample event."""

    # Identifies a delivery.
    delivery_id: str


class Delivery(TypedDict):
    """A delivery of one event to one webhook."""

    # Identifies a delivery.
    id: str
    # Identifies a webhook.
    webhook_id: str
    status: DeliveryOutcome
    payload: StateChange
    # The attempts of the last schedule, oldest first.
    attempts: list[DeliveryAttempt]
    reason: NotRequired[FailureReason]
    # Time at which the delivery was delivered or failed.
    settled_at: NotRequired[str]


class DeliveryList(TypedDict):
    """A page of deliveries."""

    # Newest first.
    deliveries: list[Delivery]
    # Deliveries of `alert` and `trigger_active` on this page, in the same order.
    event_deliveries: NotRequired[list[EventDelivery]]
    # Cursor of the next page.
    next_cursor: str | None


class FailedDelivery(TypedDict):
    """A delivery whose last retry failed."""

    # Identifies a delivery.
    id: str
    # Identifies a webhook.
    webhook_id: str
    payload: StateChange
    # The attempts of the latest schedule, oldest first.
    attempts: list[DeliveryAttempt]
    reason: FailureReason


# failure_time (when the delivery failed, the default), event_time (`payload.timestamp`, which a retry that fails again
# does not change).
FailedDeliverySort = Literal["failure_time", "event_time"]


class FailedDeliveryList(TypedDict):
    """A page of failed deliveries."""

    # Newest first, by the time that `sort` selects.
    deliveries: list[FailedDelivery]
    # Deliveries of `alert` and `trigger_active` on this page, in the same order.
    event_deliveries: NotRequired[list[EventDelivery]]
    # Cursor of the next page.
    next_cursor: str | None


class RetryRequest(TypedDict):
    """The failed deliveries to queue again, either by `delivery_ids` or by `webhook_id`. `since` is allowed only with `webhook_id`."""

    # Ids of failed deliveries. 100 ids fit into a body.
    delivery_ids: NotRequired[list[str]]
    # Id of a webhook whose failed deliveries are queued again.
    webhook_id: NotRequired[str]
    # A time, RFC 3339 in UTC (`Z` or `+00:00`).
    since: NotRequired[str]
    # Whether the deliveries are sent in order per session, one after the other.
    ordered: NotRequired[bool]


class RetryAccepted(TypedDict):
    """The deliveries that were queued again."""

    # Number of deliveries that were queued again.
    count: int
    # Their ids.
    delivery_ids: list[str]


class Health(TypedDict):
    """Liveness."""

    # Always ok.
    status: Literal["ok"]


class Readiness(TypedDict):
    """Readiness."""

    # Always ready.
    status: Literal["ready"]


class Problem(TypedDict):
    """Problem details as in RFC 9457."""

    # The `code` as a URN.
    type: str
    # Name of the status.
    title: str
    # The HTTP status.
    status: int
    # What is wrong, for people.
    detail: str
    code: ProblemCode
    # The `X-Request-Id` of this response.
    request_id: str
    # The next step, for people and agents, by the form of the request.
    hint: NotRequired[str]
    position: NotRequired[JsonPosition]
    # Maximum age of the timestamp.
    max_age_seconds: NotRequired[int]


class ValidationProblem(TypedDict):
    """Problem details with up to 20 validation errors. `detail` is the detail of the first error."""

    # The `code` as a URN.
    type: str
    # Name of the status.
    title: str
    # The HTTP status.
    status: int
    # The detail of the first error, for people.
    detail: str
    code: ProblemCode
    # The `X-Request-Id` of this response.
    request_id: str
    # The next step, for people and agents, by the form of the request.
    hint: NotRequired[str]
    # The validation errors, at most the first 20.
    errors: list[Fault]
    # Number of further validation errors that `errors` does not name.
    errors_omitted: NotRequired[int]


class RateLimitProblem(TypedDict):
    """Problem details of a request that exceeded a limit."""

    # The `code` as a URN.
    type: str
    # Name of the status.
    title: str
    # The HTTP status.
    status: int
    # What is wrong, for people.
    detail: str
    code: ProblemCode
    # The `X-Request-Id` of this response.
    request_id: str
    # The limits that were exceeded.
    violated_policies: list[LimitPolicy]


# The body of an event of a webhook. Its "event" is the kind.
WebhookEvent = StateChange | Alert | TriggerActive
