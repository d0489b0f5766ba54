import { textWindows, topicExtraction as settings } from './settings.js';
import { isForeign, type MessageCheck } from './check-message.js';
import { createFeatureLister } from './features.js';
import { createFinder, type Findings } from './findings.js';
import { findForeignDanger } from './foreign-dangers.js';
import { createScorer, type HeadScores } from './linear.js';
import {
  addFindings,
  createFeatureReader,
  type MessageText,
  toMessageText,
  toWholeWindow,
} from './message-features.js';
import { classTotal, openTextModel, scoreFeatures, type TextModel } from './model.js';
import { phrasePointsMin } from './phrase-tree.js';
import {
  computeDangerLogOdds,
  dangerKinds,
  findDanger,
  hasDangerWord,
  keepStatements,
  type SafetyKind,
  withoutQuotes,
} from './safety.js';
import { strongestSentiment, toSentiment } from './severity.js';
import { createTextReader } from './spelling.js';
import type { Words } from './tokens.js';
import { areas, topicsByArea } from './vocabulary.js';
import { listWindows, type Window } from './windows.js';

/** Analyzes texts. Stores no text beyond the call. */
export interface Texts {
  /**
   * Analyzes a message, and the turn with the assistant's `response`. The result has a turn only with a response, for a
   * message in English that describes no danger.
   */
  analyze(message: string, response?: string): MessageAnalysis;
  /**
   * Builds the model unless it is built, which takes 0.3 s. Waits for `pause` after each of three parts, so that other work
   * runs in between. `analyze` would build it without a pause.
   */
  load(pause: () => Promise<unknown>): Promise<void>;
}

export interface MessageAnalysis {
  readonly check: MessageCheck;
  /** Estimated sentiment, −1 to 0. Absent without a danger for another language and for a message without a known word. */
  readonly sentiment?: number;
  readonly turn?: TurnAnalysis;
}

/** Throws if the weights were trained with another lexicon. */
export function createTexts(weights: Uint8Array): Texts {
  const { compile, build } = openTextModel(weights);
  let analyzer: TextAnalyzer | undefined;
  let loaded: Promise<void> | undefined;
  const analyze: Texts['analyze'] = (...texts) => (analyzer ??= createTextAnalyzer(build())).analyze(...texts);
  const loadParts = async (pause: () => Promise<unknown>) => {
    for (const part of [compile, build, () => analyze('I have an exam tomorrow.', 'Good luck.')]) {
      part();
      await pause();
    }
  };
  return { analyze, load: (pause) => (loaded ??= loadParts(pause)) };
}

/** One exchange: the user's message and the assistant's response. Either may be empty. */
export interface Turn {
  readonly user_message: string;
  readonly ai_response: string;
}

/** Result of analyzing a text: numbers only. It is sent to the thread that stores it. */
export interface TextAnalysis {
  /**
   * Odds of each area, then of "none", for each segment except small talk. The odds of a segment are relative: they
   * share an arbitrary factor.
   */
  readonly odds: readonly number[];
  /** The topics that phrases support: number and points. Longer and repeated phrases give more points. */
  readonly points: ReadonlyArray<readonly [topic: number, points: number]>;
  /** True if a phrase names a topic. A hint does not name a topic. */
  readonly isNamed: boolean;
  /** Numbers of the topics that a phrase names in a segment with a first-person word. */
  readonly firstPerson: readonly number[];
}

export interface TurnAnalysis {
  /** Version of the model that analyzed the turn. */
  readonly model: number;
  /** Log odds that the user describes a concern of their own. */
  readonly concern: number;
  readonly user: TextAnalysis;
  readonly assistant: TextAnalysis;
}

interface TextAnalyzer extends Pick<Texts, 'analyze'> {
  /** Analyzes a turn whatever its language, also if it describes a danger. */
  analyzeTurn(turn: Turn): TurnAnalysis;
  /** Returns the log odds of a message in English. */
  scoreMessage(message: string): HeadScores;
}

/** Points for each further phrase of a topic. Chosen by judgment. */
const REPEAT_POINTS = 0.25;
/** The area number of each topic, by topic number. */
const areaByNumber = areas.flatMap((area, k) => topicsByArea[area].map(() => k));

/**
 * Returns an analyzer with its own working memory. Each thread requires only one analyzer, which processes one text at
 * a time.
 */
export function createTextAnalyzer(model: TextModel): TextAnalyzer {
  const { lexicon, version } = model;
  const reader = createTextReader(lexicon, model.vocabulary);
  const find = createFinder(lexicon);
  const listAreaFeatures = createFeatureLister(model.index, lexicon);
  const scoreWindow = createScorer(model.heads, createFeatureReader(lexicon, reader.known));

  /** Returns the findings of each segment. Adds them to the text. */
  const readSegments = (text: MessageText): Findings[] => {
    const { words, numbers } = text.read;
    return words.segmentEnds.map((to, i) => {
      const found = { ...find(words, numbers, words.segmentEnds[i - 1] ?? 0, to) };
      addFindings(text, found);
      return found;
    });
  };
  const analyzeContent = (
    { read: { words, numbers }, isNamed }: MessageText,
    segments: readonly Findings[],
  ): TextAnalysis => {
    const odds: number[] = [];
    const points = new Map<number, number>();
    const firstPerson = new Set<number>();
    for (const found of segments) {
      if (found.isSmallTalk) continue;
      pushOdds(odds, scoreFeatures(model, listAreaFeatures(words, numbers, found)), found.hits);
      addPoints(points, firstPerson, found);
    }
    return { odds, points: [...points], isNamed, firstPerson: [...firstPerson] };
  };
  const analyzeResponse = (response: string): TextAnalysis => {
    const text = toMessageText(reader.read(response));
    const segments = readSegments(text);
    return analyzeContent(text, segments);
  };
  const score = (text: MessageText): TextScores => {
    const windows = listWindows(text.read.words);
    return takeStrongest(
      scoreWindow(text, toWholeWindow(text)),
      windows,
      windows.map((it) => scoreWindow(text, it)),
    );
  };
  const scoreText = (content: string): HeadScores => {
    const text = toMessageText(reader.read(content));
    readSegments(text);
    const { concern, severity, safety } = score(text);
    return { concern, severity, safety };
  };
  /** Returns a danger only if the message without its quotes and denials has one too. */
  const confirm = (danger: SafetyKind | undefined, message: string): SafetyKind | undefined => {
    if (danger === undefined) return undefined;
    const own = keepStatements(message);
    return own === message ? danger : findDanger(own, true, scoreText(own).safety);
  };

  /** Returns the danger that a message states in another language, also within English text. Quotes state none. */
  const findInOtherLanguages = (message: string, written: Words): SafetyKind | undefined => {
    const found = findForeignDanger(message, written);
    const own = found === undefined ? message : withoutQuotes(message);
    if (own === message) return found;
    const danger = findForeignDanger(own, reader.tokenize(own));
    // Restores `written`.
    reader.tokenize(message);
    return danger;
  };

  return {
    analyze(message, response) {
      const written = reader.tokenize(message);
      const foreignDanger = findInOtherLanguages(message, written);
      if (isForeign(message, written)) {
        reader.wipe();
        return {
          check: { isForeign: true, ...(foreignDanger && { danger: foreignDanger }) },
          ...toStrongest(foreignDanger),
        };
      }
      // Before the correction, which overwrites the hashes.
      const mayBeExplicit = hasDangerWord(written);
      const read = reader.correct(written);
      const text = toMessageText(read);
      const segments = readSegments(text);
      const { concern, severity, safety, concerned } = score(text);
      const user = response === undefined ? undefined : analyzeContent(text, keepConcerned(segments, concerned));
      const danger = mostUrgent(confirm(findDanger(message, mayBeExplicit, safety), message), foreignDanger);
      const assistant = response === undefined || danger !== undefined ? undefined : analyzeResponse(response);
      reader.wipe();
      return {
        check: {
          isForeign: false,
          ...(danger && { danger }),
          ...(!read.hasKnownWord && danger === undefined && { isUnknown: true as const }),
        },
        ...(read.hasKnownWord && { sentiment: toSentiment(severity) }),
        ...toStrongest(danger),
        ...(user && assistant && { turn: { model: version, concern, user, assistant } }),
      };
    },
    analyzeTurn({ user_message, ai_response }) {
      const text = toMessageText(reader.read(user_message));
      const segments = readSegments(text);
      const { concern, concerned } = score(text);
      const user = analyzeContent(text, keepConcerned(segments, concerned));
      const assistant = analyzeResponse(ai_response);
      reader.wipe();
      return { model: version, concern, user, assistant };
    },
    scoreMessage(message) {
      const scores = scoreText(message);
      reader.wipe();
      return scores;
    },
  };
}

/** A danger decides, whatever the other words say. */
const toStrongest = (danger: SafetyKind | undefined) => (danger ? { sentiment: strongestSentiment } : {});

interface TextScores extends HeadScores {
  /** The windows that may describe a concern of the speaker. */
  readonly concerned: readonly Window[];
}

/**
 * Returns the scores of the strongest window of each head, or of the whole text if they are stronger. A window is severe or
 * has a danger only if its words may describe a concern of the speaker.
 */
function takeStrongest(whole: HeadScores, windows: readonly Window[], scores: readonly HeadScores[]): TextScores {
  const doublings = Math.log2(Math.max(1, windows.length / textWindows.windows_free));
  const minus = textWindows.log_odds_per_doubling * doublings;
  const severityMinus = textWindows.severity_per_doubling * doublings;
  const dangerMinus = textWindows.danger_per_doubling * doublings;
  let { concern, severity, safety } = whole;
  for (const window of scores) {
    concern = Math.max(concern, window.concern - minus);
    if (window.concern < textWindows.own_concern_min) continue;
    severity = Math.max(severity, window.severity - severityMinus);
    if (computeDangerLogOdds(window.safety) - dangerMinus > computeDangerLogOdds(safety)) {
      const [suicidal, selfHarm, violence] = window.safety;
      safety = [suicidal - dangerMinus, selfHarm - dangerMinus, violence - dangerMinus];
    }
  }
  const isConcern = (it: HeadScores | undefined) => (it?.concern ?? 0) - minus >= settings.concern_log_odds_min;
  return { concern, severity, safety, concerned: windows.filter((_, i) => isConcern(scores[i])) };
}

/** Returns the segments with a concern, so that the other words of a long message give no topic. All without such windows. */
function keepConcerned(segments: readonly Findings[], concerned: readonly Window[]): readonly Findings[] {
  if (concerned.length === 0) return segments;
  return segments.filter((it) => concerned.some(({ from, to }) => from < it.to && it.from < to));
}

function mostUrgent(...found: ReadonlyArray<SafetyKind | undefined>): SafetyKind | undefined {
  return dangerKinds.find((kind) => found.includes(kind));
}

/**
 * Increases the odds of areas with a phrase match, because phrases are more reliable than weights from few training
 * rows. Ignores hints.
 */
function pushOdds(odds: number[], scores: readonly number[], hits: Findings['hits']): void {
  const named = new Array<number>(classTotal).fill(0);
  for (const { number, points } of hits) {
    const area = areaByNumber[number] ?? classTotal;
    if (points >= phrasePointsMin)
      named[area] = Math.max(named[area] ?? 0, Math.min(points, settings.phrase_points_max));
  }
  for (let k = 0; k < classTotal; k++)
    odds.push(Math.exp((scores[k] ?? 0) + settings.phrase_log_odds_per_point * (named[k] ?? 0)));
}

function addPoints(points: Map<number, number>, firstPerson: Set<number>, { hits, isFirstPerson }: Findings): void {
  for (const hit of hits) {
    const before = points.get(hit.number);
    points.set(hit.number, before === undefined ? hit.points : Math.max(before, hit.points) + REPEAT_POINTS);
    if (isFirstPerson && hit.points >= phrasePointsMin) firstPerson.add(hit.number);
  }
}
