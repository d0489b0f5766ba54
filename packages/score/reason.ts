import { stressModel as model } from './model.js';
import { isLikelyAnotherPerson, isPersonal, isRaisedSinceChange } from './movement.js';
import { raised as causes } from './generated/contract.js';
import type { Raised } from './rows/session.js';
import type { Device, Signals } from './rows/values.js';
import { type LabelName, labels, type UnreadText } from './signals.js';
import type { ScoreInput, TypicalHeartRate } from './situation.js';
import { findBand } from './states.js';
import { type FusedStress, type Driver, computeExplainedShare, isExertion, isOfOtherSession } from './stress.js';

const weakReason = 'Nothing in the words stands out.';
/** The reason beside a finding in the message, which the score does not read. */
export const neutralReason = 'Neutral words.';

/** What else a reason depends on. */
export interface Circumstances {
  readonly unread?: UnreadText | undefined;
  /** The device of the newest heart data. */
  readonly device?: Device | undefined;
  /** What a raised heart rate can mean. */
  readonly raised?: Raised | undefined;
}

/**
 * Returns one sentence that names the signals behind the published score and their direction, strongest first. Strong
 * evidence in the opposite direction follows after "despite". If the score is held in its band, the sentence says so.
 * Without evidence, or with words that say nothing, it says so, and names no state.
 */
export function explainScore(
  { drivers, value, hasEvidence, isWeak }: Pick<FusedStress, 'drivers' | 'value' | 'hasEvidence' | 'isWeak'>,
  situation: ScoreInput,
  published: number,
  { unread, device, raised }: Circumstances = {},
): string {
  if (!hasEvidence) return explainNoEvidence(unread, situation);
  if (isWeak) return weakReason;
  const [computed, band] = [findBand(Math.round(value)), findBand(published)];
  const note = drivers.some(({ evidence }) => evidence === 'heart_rate')
    ? heartNote(situation, device) + causeNote(raised)
    : '';
  if (computed === band)
    return sentence(describeEvidence(drivers, situation, band.suggested_action === 'maintain_engagement') + note);
  const until = computed.min_score > band.min_score ? 'the rise lasts' : 'the calmer signals last';
  const evidence = describeEvidence(drivers, situation, false) + note;
  return sentence(`the state is held at ${band.state.replace('_', ' ')} until ${until}: ${evidence}`);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const unreadTexts: Readonly<Record<UnreadText, string>> = {
  language: 'the message is not in English',
  words: 'the message has no word that the service knows',
};

/** Returns the reason of a state without evidence. `situation` is absent for a state that is outdated. */
export function explainNoEvidence(unread?: UnreadText, situation?: ScoreInput): string {
  const moved = situation && describeMovement(situation);
  const none = moved ? `only ${moved}` : `none of the last ${model.age.stale_after_seconds / 60} minutes counts`;
  return `No usable signal: ${unread ? unreadTexts[unread] : none}.`;
}

/** `isEasy` is true for a state without load, which requires no evidence. */
function describeEvidence(drivers: readonly Driver[], situation: ScoreInput, isEasy: boolean): string {
  const isRaised = drivers.reduce((sum, { logOdds }) => sum + logOdds, 0) > 0;
  const agreeing = drivers.filter(({ logOdds }) => logOdds > 0 === isRaised);
  const opposing = drivers.filter(({ logOdds }) => logOdds > 0 !== isRaised);
  const enough = Math.max(
    model.reason.driver_log_odds_min,
    model.reason.driver_share_min * Math.abs(agreeing[0]?.logOdds ?? 0),
  );
  const notable = (group: readonly Driver[]) => group.filter(({ logOdds }) => Math.abs(logOdds) >= enough);
  const list = (group: readonly Driver[]) =>
    group
      .slice(0, model.reason.drivers_max)
      .map((driver) => describeDriver(driver, situation))
      .join(', ');
  const [reasons, objections] = [list(notable(agreeing)), list(notable(opposing))];
  if (reasons === '') return `${isEasy ? 'nothing stands out: ' : ''}${list(drivers)}`;
  return objections === '' ? reasons : `${reasons}, despite ${objections}`;
}

const quietMinutes = `the mean of the last ${model.sudden_rise.quiet_seconds / 60} quiet minutes`;

const another = '(another session)';

/** Returns the text of a piece of evidence, e.g. "tense voice". Names no session: the client chose its id, and models read it. */
function describeDriver(driver: Driver, situation: ScoreInput): string {
  const text = describeEvidenceOf(driver, situation);
  return isOfOtherSession(driver, situation.signals) ? `${text} ${another}` : text;
}

/** Returns a reason, which release 1.0.0 may have stored with these sessions, without their ids. */
export function hideSessions(reason: string, sessionIds: readonly string[]): string {
  // The text of one session may contain that of another one.
  const longestFirst = [...sessionIds].sort((a, b) => b.length - a.length);
  const name = (id: string) => `(session ${id.length > 64 ? `${id.slice(0, 61)}...` : id})`;
  return longestFirst.reduce((text, id) => text.replaceAll(name(id), another), reason);
}

function describeEvidenceOf(
  { evidence, drop = 0, suddenBpm }: Driver,
  { heart, typical, signals }: ScoreInput,
): string {
  if (evidence === 'hrv') return `heart rate variability ${beside(Math.expm1(-drop) * 100, '%', 'a typical value')}`;
  if (evidence !== 'heart_rate') return describeLabel(evidence, signals);
  if (suddenBpm !== undefined) return `heart rate ${beside(suddenBpm, 'bpm', quietMinutes)}`;
  return `${nameLevel(heart, signals)} ${besideRest((heart?.bpm ?? 0) - typical.heart_rate.value, typical.heart_rate)}`;
}

/** Says of a smoothed level that it is one, if the value that was sent differs from it. */
function nameLevel(heart: ScoreInput['heart'], { heart_rate }: Signals): string {
  const isSent = Math.abs((heart?.bpm ?? 0) - (heart_rate?.value ?? 0)) < model.reason.smoothed_bpm;
  return isSent || heart?.isConfirmed === false ? 'heart rate' : 'average heart rate of the last minutes';
}

function describeLabel<N extends LabelName>(name: N, signals: Signals): string {
  const sample = signals[name];
  return sample ? labels[name].describe(sample.value) : '';
}

/**
 * Returns a note on the heart rate if a jump is not confirmed, another person may wear a device that changed, or movement
 * explains it.
 */
function heartNote(situation: ScoreInput, device: Device | undefined): string {
  const { heart, signals } = situation;
  if (heart?.isConfirmed === false)
    return `, with an unconfirmed heart rate of ${Math.round(signals.heart_rate?.value ?? 0)} bpm`;
  if (isLikelyAnotherPerson(situation) && isRaisedSinceChange(situation, device))
    return ', for so long that the readings no longer look like those of this person';
  const moved = describeMovement(situation);
  return moved ? `, with ${moved}` : '';
}

/** Returns the likely cause of a raised heart rate, with its alternatives. */
function causeNote(raised: Raised | undefined): string {
  return raised ? `; ${causes[raised.likely].reason}` : '';
}

/** Returns a text on a heart rate that movement explains. Undefined if movement explains little of it. */
function describeMovement(situation: ScoreInput): string | undefined {
  const { heart, typical } = situation;
  if (!heart || computeExplainedShare(situation) < model.reason.movement_share_min) return undefined;
  const rise = Math.round(heart.bpm - typical.heart_rate.value);
  const isLearned = !isExertion(situation);
  const explained = isLearned ? 'which movement partly explains' : 'which movement explains';
  const why = rise > model.movement.exertion_from_bpm ? 'higher than stress explains' : explained;
  return `a heart rate ${rise} bpm above rest, ${why}${isLearned ? '' : ', so the baseline is not updated'}`;
}

/**
 * Describes the heart rate relative to rest. Calls it "this person's" only once their own level counts almost fully: the
 * `own_share` of the response.
 */
function besideRest(difference: number, { known }: TypicalHeartRate): string {
  if (isPersonal({ known })) return beside(difference, 'bpm', "this person's typical heart rate");
  return beside(
    difference,
    'bpm',
    known === 0 ? 'a typical resting heart rate' : 'the typical heart rate estimated so far',
  );
}

/** Describes a value relative to a typical one: "24 bpm above this person's typical heart rate". */
function beside(difference: number, unit: string, what: string): string {
  const rounded = Math.round(difference);
  return rounded === 0 ? `at ${what}` : `${Math.abs(rounded)} ${unit} ${rounded < 0 ? 'below' : 'above'} ${what}`;
}
