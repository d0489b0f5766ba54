/**
 * The figures of release 1.0.0 (model version 2): `src/score` of its commit, played once with the streams of
 * `evaluate life`. Days: percent of all minutes.
 */
export const before: Readonly<Record<string, string>> = {
  'StressID, personal: AUC': '0.902 (0.852–0.944)',
  'StressID, personal: stressors stressed': '31.8 % (22.6 %–41.4 %)',
  'StressID, personal: rest stressed': '3.6 % (0.0 %–7.9 %)',
  'StressID, cold: AUC': '0.688 (0.645–0.743)',
  'StressID, cold: stressors stressed': '5.1 % (1.8 %–9.5 %)',
  'StressID, cold: rest stressed': '0.7 % (0.0 %–2.2 %)',
  'speech: AUC': '0.762 (0.573–0.913)',
  'speech: stressors stressed': '14.5 % (4.2 %–30.8 %)',
  'speech: rest stressed': '2.1 % (0.0 %–6.3 %)',
  'wrist, a reading every 5 s: AUC': '0.624 (0.583–0.663)',
  'wrist, a reading every 5 s: stressors stressed': '27.4 % (13.5 %–42.0 %)',
  'wrist, a reading every 5 s: rest stressed': '21.7 % (12.2 %–32.7 %)',
  'wrist: state changes per hour': '5.71',
  'StressID, personal: AUC of the confidence': '0.747 (0.685–0.805)',
  'StressID, cold: AUC of the confidence': '0.595 (0.524–0.673)',
  'speech: AUC of the confidence': '0.673 (0.504–0.830)',
  'wrist, a reading every 5 s: AUC of the confidence': '0.578 (0.516–0.636)',
  'pooled: mean confidence and share right, per fifth': '19:47 27:60 33:43 37:80 41:62',
};

/** Minutes stressed in percent, by person. */
export const stressedBefore: Readonly<Record<string, number>> = {
  ...{ W4408: 12.7, W7796: 9.8, W1847: 9.1, W9924: 7.9 },
  ...{ '5C': 8.9, '6B': 11.9, '7A': 7.9, '8B': 11.9, BG: 7.6, CE: 10.0, DF: 11.6, EG: 13.8, F5: 10.9 },
};

/** Everyday streams that held in fewer than ten seeds. */
export const heldBefore: Readonly<Record<string, number>> = {
  'a tense new person: 106 to 122 bpm without steps, SDNN 30, for 15 min': 3,
  'a tense new person: 106 to 122 bpm for 15 min, heart rate only': 3,
  'a tense new person: 106 to 122 bpm for 15 min, a reading every 30 s': 4,
  'a new person: 76 bpm for 15 min, then a speech with 16 bpm more, a reading every 30 s': 1,
  'a new person at rest with 104 bpm': 0,
  '66 bpm, then 22 bpm more for 15 min, then 66 bpm': 0,
  '66 bpm for five minutes, then 22 bpm more for 15 min, then 66 bpm': 0,
  'one sentence with sentiment −1, then a neutral face every 10 s': 0,
  '66 bpm and a neutral voice, one sentence with sentiment −1': 0,
  'rest at 70 bpm, amused at 78 bpm, stressed at 94 bpm, for 20, 10 and 5 min': 0,
  '100 bpm, then only a neutral voice for four minutes': 0,
  'words with sentiment +0.6 every 20 s, beside a hostile voice from the third minute on': 0,
  '66 bpm with SDNN 60 for 30 min, then SDNN 20': 0,
};

/** Minutes of a scene that were stressed before hours of sleep counted as the day. */
export const scenesBefore: Readonly<Record<string, string>> = {
  'a parent carries a baby for 25 min at 2 h': '94 %',
  'a parent carries a baby for 25 min at 4 h': '93 %',
  'lies awake for an hour at 3 h': '0 %',
  'gets up at 4 h, for a flight': '18 %',
  'first three nights of a night shift: own minutes of 12 h before': '17 %',
  'three days after a flight across nine hours: own minutes of 9 h before': '18 %',
  'meditation at 6 h': '1 %',
  'stroller for 40 min': '67 %',
  'housework for 40 min': '28 %',
  'hot shower': '24 %',
  'dances in the kitchen for 10 min': '60 %',
  'stairs with 115 steps, then sits': '0 %',
  'stands up: 20 bpm more, then 10 for 15 min': '15 %',
  'third day of 8 to 17 bpm more, as in fever': '22 %',
  'heat: 9 bpm more from 11 to 20 h': '23 %',
  'irregular beats: 30 to 70 bpm more': '6 %',
  'after a run that is not stated, 90 min': '5 %',
  'after a run that is stated, 90 min': '17 %',
  'film with a rise of 9 bpm': '0 %',
  'coffee: 5 bpm more for two hours': '7 %',
  'gaming: 12 bpm more': '13 %',
  'teaches, standing: 15 bpm more': '30 %',
  'stress: 14 bpm more for 20 min': '41 %',
  'stress: 20 bpm more for 20 min': '72 %',
  'stress at 75 years: half the rises, 8 bpm': '20 %',
  'stress with a beta blocker: half the rises, 7 bpm': '16 %',
  '20 bpm more at 11 h, stressed within 10 min': '70 %',
  '20 bpm more at 14 h, stressed within 10 min': '80 %',
  '20 bpm more at 16 h, stressed within 10 min': '90 %',
  '20 bpm more at 19 h, stressed within 10 min': '90 %',
};
