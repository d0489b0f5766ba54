/**
 * The constants of the score. Every number states its source, or the word "judgment". A change of one changes the score:
 * it needs a new digest here, and a new version in the contract if the last one is released (`npm run generate` tells).
 * StressID: Chaptoukaev et al. 2023, 48 people. Stress-Predict: Iqbal et al. 2022, 21 people with a wrist device.
 */
import { scoreMax, signalAges } from './generated/contract.js';

/** SHA-256 of stressModel, stateHold and rrIntervals. */
export const constantsDigest = '8ced6547582cf03851c46ef47ec5a3a488b0d79edbdda4f3865bc37e9ad51dee';

export const stressModel = {
  score_max: scoreMax,
  neutral_log_odds: -0.7, // judgment: a score of 33 without evidence, so that focused requires evidence of load
  calm_share: 0.51, // judgment: evidence for calm counts less, so that calm requires clear evidence; fitted to the reference scenes

  age: {
    half_life_seconds: signalAges.half_life_seconds,
    stale_after_seconds: signalAges.stale_after_seconds,
    fresh_seconds: signalAges.fresh_seconds,
  },

  // relative to the resting heart rate; cold: while the person is unknown
  heart_rate: {
    population_resting_bpm: 68, // between resting norms (65.5, Quer et al. 2020; 64-68, Dantas et al. 2018) and relaxed people in a lab (74, StressID)
    population_sd_bpm: 11.4, // between people, StressID
    log_odds_per_bpm_below: 0.04, // judgment: below rest, each bpm is weak evidence
    calm_log_odds: 2.4, // judgment: evidence for calm at the lowest heart rates of the day, for a person with many learned hours
    calm_from_bpm: 9, // wearers_dev: above the resting heart rate; evidence for calm starts here ...
    calm_full_bpm: 4, // ... and is complete here
    cold_log_odds_per_bpm_near: 0.02, // judgment: between rest and raised_from_bpm, each bpm is weaker evidence ...
    log_odds_per_bpm_near: 0.032, // StressID: ... than for a known person
    raised_from_bpm: 2.5, // judgment: a resting heart rate is a low quantile, so a resting person lies up to 2.5 bpm above it
    log_odds_per_bpm: 0.18, // StressID: a logistic fit gives 0.22; tempered, so that 14 bpm above rest is stressed and 5 bpm is relaxed
    cold_raised_from_bpm: 10, // judgment: about one standard deviation between people
    cold_log_odds_per_bpm: 0.05, // 0.17 times the share of variance that is within people, 7.6^2 / (7.6^2 + 11.4^2) = 0.31, StressID
    known_exponent: 2, // StressID: evidence per bpm grows from the cold one with the square of what is known
    stressed_rise_bpm: 9.7, // the rise that counts as stressed for a person with few readings
    stressed_rise_bpm_max: 40, // judgment: the same for a person with the largest everyday rises; equals exertion_from_bpm
    log_odds_max: 1.55, // judgment: saturation; heart rate alone reaches 70
    log_odds_with_hrv_max: 1.8, // judgment: heart rate and its variability together reach 75, never acute_stress
  },
  // SDNN and RMSSD, one evidence on the log scale; falling variability raises stress
  hrv: {
    sdnn_population_ln_ms: 3.8, // about 45 ms: 42 ms in Dantas et al. 2018, 50 ms in Nunan et al. 2010
    rmssd_population_ln_ms: 3.7, // about 40 ms: 42 ms in Nunan et al. 2010
    calm_from_ln: 0.4, // judgment: variability 50 % above a person's typical value; deep breathing in StressID exceeds it
    calm_log_odds_per_ln: 8, // judgment: twice the typical variability is calm
    calm_log_odds_max: 2.4, // judgment: saturation, so that variability alone reaches calm
    log_odds_per_ln: 0.1, // StressID: adds nothing measurable, so it stays a small term
    fall_from_ln: 0.55, // judgment: a variability about 40 % below the person's own level is a fall, ...
    fall_full_ln: 0.69, // judgment: ... and counts fully at half of this level ...
    fall_points: 7, // judgment: ... with these points, ...
    fall_score_max: 55, // judgment: ... up to this score, which is focused
    log_odds_max: 0.4, // judgment: saturation; SDNN alone separates little (AUC 0.51-0.56 StressID)
  },

  // of heart rate, so that the density of a stream does not determine the state
  smoothing: {
    window_seconds: 30, // a trimmed mean over the last half minute, every reading weighted by the time it represents
    trimmed_share: 0.25, // the lowest and the highest quarter are excluded
    slot_seconds: 10, // readings of one slot are stored as their mean, so that a session stores at most 5
    steady_seconds: 150, // time constant of the smoothed level; Stress-Predict: readings every 1 to 60 s then give the same state
    steady_within_bpm: 20, // a larger change is followed immediately, down to this distance
    back_seconds: 90, // a return to the typical heart rate that lasts this long is followed at once; Stress-Predict: at most 6 state changes per hour
    back_gaps: 3, // nurses_dev: or, if readings are far apart, this many times the time between two of them
    back_from_bpm: 4, // the smoothed level is at least this far above the mean meanwhile
    back_to_bpm: 2.5, // and the mean is at most this far above the typical heart rate
    silence_seconds: 120, // after a pause of this length, only the newest reading counts
  },
  // a rise above the last quiet minutes is stressed, also within the person's ordinary rises
  sudden_rise: {
    quiet_seconds: 600, // wearers_dev: shortest quiet time before the rise
    mean_seconds: 200, // wearers_dev: time constant with which the mean and the variance of the quiet time fade
    sd_bpm_max: 4, // wearers_dev: largest standard deviation of a heart rate that counts as quiet
    from_bpm: 18, // wearers_dev: smallest rise above the mean of the quiet time
    rise_seconds: 120, // wearers_dev: shortest rise
    until_bpm: 12, // judgment: the rise ends below this distance from the mean
    rise_seconds_max: 1800, // judgment: a longer rise counts against the person's day only
    pause_seconds: 180, // judgment: a longer pause ends the quiet time
    log_odds: 1.5, // judgment: a score of 69
  },
  // a jump counts after the next reading confirms it
  plausibility: {
    jump_bpm: 25, // judgment: a heart rate rarely changes more within seconds
    jump_bpm_per_second: 0.5, // judgment: additional allowed change per second between the readings
    below_rest_bpm: 15, // judgment: for rates this far below rest, a longer gap does not increase the allowed change
  },
  movement: {
    exertion_from_bpm: 40, // judgment: mental stress rarely raises a heart rate further above rest; 3 of 48 people in StressID reach 55
    explained_bpm_per_bpm: 1.5, // judgment: each bpm above exertion_from_bpm explains this many bpm of the rise; the whole rise at 120 bpm above rest
    statement_seconds: signalAges.statement_seconds,
    implied_share_max: 0.55, // judgment: a heart rate alone never explains more of its own rise, so that a very high one is at least focused
    learned_share_max: 0.5, // judgment: a reading updates no baseline while movement explains more than this share of the rise
    still_seconds: 600, // judgment: a device that counted no step for this time excludes exertion ...
    still_fresh_seconds: 150, // judgment: ... while its newest count is at most this old
    recovery_half_life_seconds: 60, // heart rate recovery: 12 bpm or more in the first minute is normal (Cole et al. 1999)
    activity_rise_bpm: { resting: 0, light: 15, moderate: 45, vigorous: 80 }, // judgment, from the heart rate zones of the ACSM guidelines
    light_steps: 60, // steps per minute; Tudor-Locke et al. 2018: 60-99 slow to medium walking
    moderate_steps: 100, // Tudor-Locke et al. 2018
    vigorous_steps: 130, // Tudor-Locke et al. 2018
  },

  // what a raised heart rate can mean that nothing else confirms as stress; scenes: invented, from wearers_dev
  raised: {
    pause_seconds: 300, // judgment: a rise or an exertion ends after this time without it
    keep_share: 0.66, // of the rise that counts as stressed; what remains of a rise that stress does not explain: focused
    exertion_bpm: 44, // wearers_dev: a rise of this height is exertion, unless a device counts no steps
    exertion_seconds: 180, // judgment: a shorter one leaves nothing to recover from
    recovery_hours: 3, // judgment: an exertion is forgotten after this time
    recovery_slow_share: 0.45, // scenes: part of the highest rise that fades slowly, after an exertion of 20 min or more, ...
    recovery_slow_after_seconds: 1200,
    recovery_slow_seconds: 2400, // ... with this time constant, ...
    recovery_fast_seconds: 210, // ... and the rest with this one, which contains the smoothing
    recovery_bpm_min: 3, // judgment: less is over
    recovery_share: 0.5, // judgment: recovery is the likely cause if it explains this share of the rise
    half_hour_seconds: 1800,
    quiet_share: 0.5, // judgment: its level follows quiet minutes twice as fast as raised ones
    half_hour_seconds_min: 300, // judgment: a half hour with less data has no level
    sleep_share: 0.4, // wearers_dev: a half hour up to this share of the way from the resting to the typical heart rate is as low as in sleep
    sleep_half_hours: 6, // judgment: so many low half hours in a row are sleep
    day_pause_hours: 4, // judgment: a pause of this length ends a day, like sleep
    waking_seconds: 3600, // judgment: a rise this soon after sleep comes with getting up ...
    waking_bpm_max: 30, // judgment: ... up to this height
    day_half_hours: 8, // judgment: from four hours on, a day can be raised as a whole ...
    day_bpm: 6, // judgment: ... if its median is this far above the median of the last days ...
    days_min: 3, // judgment: ... of which there must be so many
    days_max: 14,
    levels_max: 40, // judgment: bound of the half hours of one day
  },

  label_log_odds: 1.85, // judgment: evidence of a fully stressful label at reliability 1; fitted to the reference scenes
  sentiment_exponent: 1.2, // judgment: words near neutral are weak evidence
  label_neutral_points: 37, // word "neutral", Warriner et al. 2013, 50*(9-V)/8 + 50*(A-1)/8
  label_span_points: 32, // from "neutral" to the most stressful word, "hostile" (69)
  // rater agreement (kappa) in multimodal stress labeling, ICMI 2024
  reliability: {
    tone: 0.42,
    expression: 0.7,
    sentiment: 0.85,
    urgency: 0.3, // judgment: a label of the matter, not of the person
  },
  // Warriner et al. 2013, as above
  tone_points: {
    calm: 17,
    neutral: 37,
    focused: 38, // 37 as above; just above neutral, because all of its evidence is load
    excited: 40,
    hesitant: 46,
    anxious: 65,
    tense: 66,
    frustrated: 68,
    hostile: 69,
  },
  // Warriner et al. 2013, the words relaxed, smile, neutral, surprised, frown, tense
  expression_points: {
    relaxed: 20,
    smiling: 30,
    neutral: 37,
    concentrated: 38, // 42 as above; just above neutral, because all of its evidence is load
    surprised: 46,
    frowning: 52,
    tense: 66,
  },

  // stressful tones that agree count as several ratings (Spearman-Brown)
  repetition: {
    from_points: 60, // judgment: anxious, tense, frustrated and hostile
    rating_seconds: 10, // judgment: labels of the same few seconds are not independent, so this time makes a rating
    ratings_max: 4, // judgment: a reliability of 0.74, below that of words
    total_log_odds_max: 1.35, // judgment: repetition raises the score to 66 at most, never to acute_stress
  },
  // concentrated work is focused, not stressed
  load: {
    log_odds: { focused: 0.62, concentrated: 0.5 }, // judgment: each alone is enough for focused
    total_log_odds_max: 0.9, // judgment: load raises the score to 55 at most
    rise_bpm: 8, // judgment: concentration explains this rise of the heart rate
  },

  // judgment: an urgent matter is weak evidence about the person, so critical counts less than a fully stressful label
  urgency_log_odds: { low: -0.1, medium: 0.1, high: 0.35, critical: 0.6 },

  baseline: {
    reading_seconds_max: 120, // maximum time that one reading represents; a first reading represents this time
    resting_quantile: 0.1, // StressID: 0.1 and 0.2 give the best AUC; the lower one is more stable during long stress
    phase_hours: 4, // judgment: a person's night and morning lie in the same hours of the UTC day every day
    typical_quantile: 0.6, // wearers_dev: the typical heart rate of a person with many learned hours
    raised_quantile: 0.835, // wearers_dev: with many learned hours, the rise from typical_quantile to here counts as stressed
    typical_weight_seconds: 5300, // wearers_dev: learned time after which the typical heart rate is halfway between both quantiles
    new_weight_seconds: 3000, // speech_dev, nurses_dev: learned time after which a person counts half as new
    phase_weight_seconds: 7200, // wearers_dev: learned time after which the hours of the day count half
    asleep_below_bpm: 6, // wearers_dev: hours with a typical heart rate this far below that of the whole day are hours of sleep
    day_phases: 4, // judgment: backfilled readings in so many phases are more than a night, and tell the level of the day
    bin_bpm: 2, // judgment: resolution of the stored histogram
    weight_seconds: 30, // of the population; StressID: a quarter of a 120 s window gives AUC 0.90, half 0.89, a whole one 0.87
    high_from_bpm: 20, // judgment: a level further above the population may be that of a tense person ...
    high_after_seconds: 1800, // judgment: ... so it starts to count after this learned time ...
    high_learned_seconds: 14400, // judgment: ... and counts like any other after this ...
    high_phases: 3, // judgment: ... or when it is learned in so many phases, e.g. over a night
    capacity_seconds: 604800, // judgment: after seven days of readings, the weight of all of them is halved, so that newer readings count more
    half_life_days: 28, // judgment: fitness, medication and seasons move a resting heart rate over weeks
    remembered_seconds: 14400, // judgment: decay leaves at least four hours
    personal_share: 0.95, // judgment: from this share of the own level on, texts say "this person's typical heart rate": after ten minutes
    devices_max: 4, // judgment: devices per person whose variability is learned separately; the least recently used one is dropped
  },

  // the estimated probability that a score is on the right side of the edge between relaxed and focused; the first ten are
  // chosen for the worst set of evaluate:life, so that states of heart data are right as often as they state
  confidence: {
    max: 0.9, // judgment: of all signals together; StressID's fused models reach only AUC 0.64
    heart_calm: 0.76, // reliability of a calm heart rate of a known person ...
    heart_calm_cold: 0.54, // ... and of an unknown person, whose calm level may be another one
    heart_raised: 0.815, // reliability of a raised heart rate of a person with hours of data ...
    heart_raised_cold: 0.65, // ... and of a new person ...
    raised_half_seconds: 600, // ... halfway between both after this time
    edge_share: 0.75, // remaining share at the edge, where most wrong states are ...
    calm_points: 12, // ... which grows to 1 over this distance below the edge, ...
    raised_points: 24, // ... or this one above it, which only a stressed score reaches, ...
    raised_exponent: 2, // ... slowly at first: a heart rate between the person's calm and raised levels tells little
    edge_log_odds: 0.295, // evidence at the edge
    opposing_share: 0.75, // judgment: remaining share of the reliability of a category that is evidence for the other side
    evidence_min: 0.02, // judgment: a signal with a smaller weight does not count
    weak: 0.01, // words that say nothing: no more than the oldest heart rate that counts, so that its end raises no confidence
    hrv: 0.1, // 2 * AUC - 1, AUC 0.55, StressID
    unconfirmed_share: 0.25, // judgment: remaining share of the heart rate's reliability while a jump is unconfirmed
    movement_share: 0.3, // judgment: reduction of the confidence while movement explains the heart rate
    contradiction_share: 0.5, // judgment: reduction of the confidence while categories contradict each other
    contradiction_log_odds: 0.5, // judgment: evidence of both directions from which a contradiction is complete
    device_change_seconds: 600, // judgment: after the device of the heart data changes, its values and its wearer are uncertain
    device_change_share: 0.7, // judgment: remaining share of the confidence in this time
    unlike_seconds: 1800, // judgment: a heart rate raised as under stress for this time may be another person's
    unlike_share: 0.7, // judgment: remaining share of the reliability of a heart rate that may be another person's
    unlike_rise_share: 0.75, // judgment: share of the rise that counts as stressed from which a heart rate is raised; lower than 1, because a falling score stays stressed for a while
  },

  reason: {
    driver_share_min: 0.34, // judgment: the reason names signals with at least a third of the strongest signal's evidence
    driver_log_odds_min: 0.15, // judgment: about 3 points
    drivers_max: 3, // judgment: one plain sentence
    sentiment_strong: 0.5, // judgment: from this value on, words are "strongly" positive or negative
    smoothed_bpm: 5, // judgment: from this distance to the value sent on, the reason calls the level an average
    movement_share_min: 0.3, // judgment: from this share on, the reason states that movement explains the heart rate
  },
} as const;

/** Which beat-to-beat intervals are artifacts, and when the rest is enough for SDNN and RMSSD. */
export const rrIntervals = {
  window_seconds: 300, // short recordings last five minutes (Task Force of the ESC and NASPE 1996)
  least_seconds: 30, // SDNN and RMSSD of shorter recordings differ too much from those of five minutes (Munoz et al. 2015)
  artifact_share: 0.2, // an interval that differs by more from the median of its neighbors is an artifact
  neighbors: 10, // before and after an interval; with 5, a few extra beats mislead the median
  artifact_spreads: 3.2, // or this many median deviations of the window, if that is more: deep breathing is no artifact; evaluate:rr: with 2.5, clean RMSSD is up to 3 ms too low
  difference_medians: 2.6, // a misplaced peak: the absolute successive difference exceeds this multiple of the median absolute successive difference of the window; evaluate:rr: with 2.4, clean RMSSD is lower, with 3, small shifts stay
  difference_ms: 80, // and at least this much: a steady heart rate has a small median absolute successive difference
  lone_difference: 1.5, // a difference without an opposite one beside it must exceed the limit by this factor: slow breathing has such differences
  left_out_share_max: 0.5, // most intervals are artifacts: the window is unusable
  variability_share_max: 0.2, // RMSSD divided by the median interval, a coefficient of variation of successive differences (CVSD); evaluate:rr: 0.19 while breathing deeply, 0.26 and more for random intervals
  gap_seconds: 1, // a longer silence between two beats separates their intervals; packets of a strap are late by up to this
} as const;

/**
 * Prevents flapping: the published score stays inside its band until one of these rules applies. Chosen with recorded
 * wrist data, per person (see docs/evaluation.md).
 */
export const stateHold = {
  margin_points: 8, // A score rises to the next band when the fused value lies this far beyond the edge ...
  fall_margin_points: 4, // ... or falls to a lower band when it lies this far below the edge ...
  dwell_point_seconds: 340, // ... for this long, in points beyond the margin times seconds: 10 points for 34 s, 2 points for 170 s.
  dwell_seconds: 60, // A new band lasts at least this long against a change to the next one.
  rise_seconds: 300, // A rise of two bands is published immediately, also when the band between was published in these last seconds.
  immediate_log_odds: 0.5, // A rise is published immediately when voice, face and words add this much evidence, or when they alone reach its band.
  fade_half_life_seconds: 90, // For a fall, the strongest recent evidence of voice, face and words counts. It halves in this time.
  sparse_from_seconds: 10, // speech_dev: readings further apart than this need less margin for a rise of a new person, ...
  sparse_seconds: 30, // ... and none at this distance, ...
  sparse_dwell_factor: 5, // ... where the time above the edge counts so many times.
  settle_seconds: 60, // The dwell grows to its full length over the first seconds of a session.
  silence_seconds: 120, // After a pause of this length, no score is held.
} as const;

/**
 * Which turn the heart raises. The heart reacts late: a rise counts for the newest turn that is older than
 * `delay_seconds` when the rise is seen, and for no later turn.
 */
export const heartRise = {
  rise_bpm: 8, // a rise starts when the heart rate, averaged over about smoothing_seconds, is this far above its lowest value since the last rise
  from_bpm: 5, // it is evidence for stress from here on ...
  log_odds_per_bpm: 0.12, // ... by this much per bpm above ...
  log_odds_max: 1.5, // ... up to a maximum
  low_seconds: 180, // the lowest value follows the heart rate upward with this time constant
  smoothing_seconds: 15,
  delay_seconds: 8,
  climb_seconds: 60, // a rise climbs for at most this long; a later climb is another rise
  window_seconds: 300, // a rise raises the stress of its turn for this long after the turn
  back_log_odds: 0.5, // the rise has ended when the evidence of the heart is within this distance of its value before the rise
} as const;

/**
 * How the heart responds to a turn: the mean of the minutes after it, minus the level before it. wearers_dev with rises
 * of Stress-Predict: AUC of a turn with a rise 0.87; 0.86 with levels of 30 to 150 s, 0.85 with a window of up to 240 s.
 */
export const turnResponse = {
  level_until_seconds: 30, // a turn takes over the smoothed heart rate this long after it, because the heart reacts late
  from_seconds: 60, // the response starts here ...
  until_seconds: 180, // ... and ends here
  reading_seconds_max: 60, // a reading represents at most this time
  log_odds_per_bpm: 0.1, // of a rise or a fall; less than heartRise, because ordinary movement goes both ways (0.06, 0.08, 0.1 and 0.12 tried) ...
  log_odds_max: 1.5, // ... up to a maximum
  lasting_share: 0.5, // a turn soon after a rise is compared with a level between those before and after it, because a rise lasts (0, 0.2 to 0.4, 0.6 and 0.8 tried)
  expressed_share: 0.5, // of voice, face and words, once the heart was measured: they tell a concern, the heart tells which one stresses (0.3, 0.7 and 1 tried)
  open_max: 8, // judgment: bound of the turns whose response is measured at the same time
} as const;

/**
 * How a topic differs from the other turns of a person: normal distributions with fixed deviations between topics and
 * areas, a Bayesian hierarchical model (Gelman et al., Bayesian Data Analysis, chapter 5).
 */
export const topicEffect = {
  topic_sd_points: 8, // between topics of an area; wearers_dev with simulated chats (8, 10, 12 and 16 tried)
  area_sd_points: 6, // between areas (3 to 5, 7, 8 and 12 tried)
  turn_sd_points_min: 20, // turns differ by at least this much, so that one rise is no pattern (5, 12 to 19 and 22 tried)
  moderate_deviations: 1.64, // an effect this many deviations above the usual level is one with a probability of 95 % ...
  strong_deviations: 2.58, // ... or 99.5 %
} as const;
