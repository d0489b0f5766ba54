/** The constants of the analysis of texts, with their units and sources. */

/** Topics of a turn. */
export const topicExtraction = {
  concern_log_odds_min: 0.1, // natural log odds; a turn has topics only from here on. Chosen by cross-validation over kinds of text
  area_share_min: 0.18, // 0–1; a turn's likeliest area must reach it. cross-validated (0.15, 0.2, 0.25, 0.3, 0.38 tried)
  named_area_share_min: 0.18, // 0–1; the same where a phrase names a topic or the session is about the area. cross-validated (0.18 to 0.33 tried)
  named_points_min: 1, // words of a phrase from which it names its topic; a hint has half a one. cross-validated (1 and 2 tried)
  session_area_turns_min: 0.4, // decayed turns from which a session is about an area. judgement
  further_area_share_min: 0.15, // 0–1; a further area with a phrase of its own is named as well. judgement
  own_share_min: 0.18, // 0–1; a turn must reach it without the session's help. judgement
  phrase_log_odds_per_point: 0.4, // natural log odds for each word of a phrase; cross-validated (0, 0.25, 0.5, 0.8 tried)
  phrase_points_max: 3, // words of a phrase that count. judgement
  assistant_weight: 0.45, // the assistant's words against the user's 1. judgement
  evidence_half_life_turns: 3, // turns after which evidence counts half. judgement
  evidence_doubling_turns: 0.35, // turns of evidence that double an area's odds. judgement
  context_points_weight: 0.5, // the session's phrases in choosing between the user's. judgement
  context_points_min: 0.5, // phrase points from which a turn goes on with the session's topic. judgement
  topics_per_turn_max: 3, // topics named for one turn. judgement
} as const;

/**
 * Sentiment of a text, from the log odds of severe distress: from 0 to `neutral_sentiment` up to the first point, linear to
 * the second point, then ever closer to `sentiment_min`. More severe texts keep their order everywhere.
 */
export const textSentiment = {
  neutral_log_odds: -0.7, // words without distress are neutral up to here: 3 % of everyday questions of a kind left out lie above (lab evaluate text)
  neutral_sentiment: -0.05, // judgment: up to here, words are neutral and give no reason. The evidence is below one point
  neutral_spread: 2, // judgment: log odds below neutral_log_odds over which the sentiment falls to 37 % of neutral_sentiment
  distress_log_odds: -0.5, // a sentiment of distress_sentiment; below most texts of distress of severity/development
  distress_sentiment: -0.8, // a score of 62: alone just stressed
  severest_log_odds: 2.5, // log odds from which all words count alike, also those of a finding: 1 to 5 % of severe texts and of questions to a counselor lie above
  severe_log_odds: 1.5, // judgment: log odds above distress_log_odds over which the distance to sentiment_min falls to 37 %
  sentiment_min: -0.95, // judgment: the words of one message are never certain
} as const;

/**
 * Windows of a message. Severity, dangers and a concern are those of the strongest window, so that other words do not dilute
 * them. The strongest of many is higher by chance, so a margin that grows with their number is subtracted from it.
 */
export const textWindows = {
  words: 30, // words of a window of two sentences, and of a whole sentence. judgment
  sentence_words_max: 18, // words of a sentence from which its parts are windows too: it may have no stops. judgment
  part_words: 14, // words of such a part. Even, as the next part begins in the middle
  text_words_min: 24, // words from which a text has windows: a shorter one is hardly diluted. judgment
  // Of lab evaluate text before the voices, with a margin of 0.16 for severity and none for danger, with all film talk left out: beside 120 to 3,500 characters, 70, 69, 57 and 45 % of severe sentences are stressed (69 alone). Of
  // this talk alone 1.7, 1.7, 3.6 and 8.3 % are, and 0.3, 0.2, 0.8 and 2.8 % have a danger. Stricter values miss the goals for severe sentences.
  windows_free: 8, // windows without a margin. 4, 5, 6, 9 and 10 tried
  log_odds_per_doubling: 0.16, // natural log odds of a concern that are subtracted for each further doubling. 0.12 to 0.2 tried
  severity_per_doubling: 0.35, // the same of severity. 0.16, 0.25, 0.35 and 0.5 tried: beside 3,500 characters, 35, 21 and 14 % of severe sentences and 5.7, 2.9 and 2.9 % of film chat from 0.25 on
  danger_per_doubling: 0.16, // the same of any danger. 0 and 0.16 tried
  own_concern_min: 0, // natural log odds of a concern of the speaker from which a window may be severe or a danger. −1.5 to 0.5 tried
} as const;

/** What a response says about a message. */
export const textAnalysis = {
  // Of a message that is not in English.
  unsupported_language_detail:
    'The message is not in English. It was checked for explicit statements of a danger only, in nine languages, and for no topics.',
  // The same, if the external check of the deployment answered.
  external_language_detail:
    'The message is not in English. It was checked for safety only: by the external check, and in nine languages for explicit statements.',
  // Of a message without a known word, in no certain language.
  not_understood_detail: 'The message has no word that the service knows. Nothing is claimed about it.',
  // What an agent does in response to a message with a safety finding.
  safety_action: 'pause_and_ground',
  safety_recommendation:
    "Pause the task and respond to the person first, in the person's language; follow your crisis procedure and add no other topic.",
  // To the software that shows a conversation, by kind of safety finding.
  safety_guidance: {
    suicidal_thoughts: 'The message may describe suicidal thoughts. Follow your crisis procedure.',
    self_harm: 'The message may describe self-harm. Follow your crisis procedure.',
    violence: 'The message may describe violence against the person. Follow your crisis procedure.',
  },
  // Added to the guidance for a message that is not in English.
  answer_in_language: ' Answer in the language of the message.',
} as const;

/** Safety findings. */
export const safetyFinding = {
  log_odds_min: 0.85, // natural log odds of any danger. On the voices of the choice (lab evaluate text): 1.9 % of the look-alikes. −0.2 to 1 tried
} as const;
