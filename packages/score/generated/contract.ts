// Generated from openapi.yaml by `npm run generate`. Edit that file instead.

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

export const summaries = {
  "state_seconds_max": 300,
  "topics_max": 5
} as const;

export const signalCategories = [
  "cardiovascular",
  "vocal",
  "visual",
  "textual"
] as const;

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
