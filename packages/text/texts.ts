import { topicExtraction as settings } from './settings.js';
import { createCheckMessage, type MessageCheck } from './check-message.js';
import { addFindings, createConcernFeatures, type GateText, toGateText } from './concern.js';
import { createFeatureLister } from './features.js';
import { createFinder, type Findings } from './findings.js';
import { scoreLinear } from './linear.js';
import { classTotal, openTopicModel, scoreFeatures, type TopicModel } from './model.js';
import { phrasePointsMin } from './phrase-tree.js';
import { openSafetyModel } from './safety.js';
import { createSentimentEstimator, openSeverityModel } from './severity.js';
import { createTextReader } from './spelling.js';
import { areas, topicsByArea } from './vocabulary.js';

/** Analyzes texts. Each model is built for the first text that needs it. */
export interface Texts {
  checkMessage(message: string): MessageCheck;
  /** Returns the estimated sentiment, −1 to 0. Undefined for a message without a known word. */
  estimateSentiment(message: string): number | undefined;
  analyzeTurn(turn: Turn): TurnAnalysis;
  /** Functions that build the models, so that the first text does not wait 0.3 s for them. */
  readonly loads: ReadonlyArray<() => void>;
}

/** Name of a file of weights. */
export type WeightsName = 'topics' | 'severity' | 'safety';

/** Throws if the weights were trained with other words or features. */
export function createTexts(weights: Readonly<Record<WeightsName, Uint8Array>>): Texts {
  const topicModel = openTopicModel(weights.topics);
  const checkMessage = createCheckMessage(openSafetyModel(weights.safety));
  const estimateSentiment = createSentimentEstimator(openSeverityModel(weights.severity));
  let analyzer: TopicAnalyzer | undefined;
  const analyzeTurn = (turn: Turn) => (analyzer ??= createTopicAnalyzer(topicModel())).analyzeTurn(turn);
  const sample = 'I have an exam tomorrow.';
  return {
    checkMessage,
    estimateSentiment,
    analyzeTurn,
    loads: [
      () => void topicModel(),
      () => void analyzeTurn({ user_message: sample, ai_response: sample }),
      () => void checkMessage(sample),
      () => void estimateSentiment(sample),
    ],
  };
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

/** Converts text to numbers. Stores no text beyond the call. */
interface TopicAnalyzer {
  analyzeTurn(turn: Turn): TurnAnalysis;
}

/** Points for each further phrase of a topic. Chosen by judgment. */
const REPEAT_POINTS = 0.25;
/** The area number of each topic, by topic number. */
const areaByNumber = areas.flatMap((area, k) => topicsByArea[area].map(() => k));

/**
 * Returns an analyzer with its own working memory. Each thread requires only one analyzer, which processes one text at
 * a time.
 */
export function createTopicAnalyzer(model: TopicModel): TopicAnalyzer {
  const { lexicon } = model;
  const reader = createTextReader(lexicon, model.vocabulary);
  const find = createFinder(lexicon);
  const listFeatures = createFeatureLister(model.index, lexicon);
  const listConcernFeatures = createConcernFeatures(lexicon);

  const analyzeContent = (text: GateText): TextAnalysis => {
    const { words, numbers } = text;
    const odds: number[] = [];
    const points = new Map<number, number>();
    const firstPerson = new Set<number>();
    let from = 0;
    for (const to of words.segmentEnds) {
      const found = find(words, numbers, from, to);
      from = to;
      addFindings(text, found);
      if (found.isSmallTalk) continue;
      pushOdds(odds, scoreFeatures(model, listFeatures(words, numbers, found)), found.hits);
      addPoints(points, firstPerson, found);
    }
    return { odds, points: [...points], isNamed: text.isNamed, firstPerson: [...firstPerson] };
  };
  return {
    analyzeTurn({ user_message, ai_response }) {
      const assistant = analyzeContent(toGateText(reader.read(ai_response)));
      const text = toGateText(reader.read(user_message));
      const user = analyzeContent(text);
      const { forms, words } = listConcernFeatures(text);
      const [concern = 0] = scoreLinear(model.concern, [forms, words]).scores;
      reader.wipe();
      return { model: model.version, concern, user, assistant };
    },
  };
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
