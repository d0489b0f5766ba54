import type { components } from '../../generated/api.js';
import { safetyFinding as settings } from './settings.js';
import { dangerPatterns } from './danger-patterns.js';
import { type LinearModel, scoreLinear } from './linear.js';
import { createMessageFeatures, type MessageFeatures } from './message-features.js';
import { openHead } from './severity.js';
import { createTokenizer } from './tokens.js';

export type SafetyKind = components['schemas']['SafetyFinding']['kind'];

/** The dangers, the most urgent first. The model has a class per danger, in this order. */
export const dangerKinds = ['suicidal_thoughts', 'self_harm', 'violence'] as const satisfies readonly SafetyKind[];

/** Returns the danger that a message in English may describe. Undefined if none is found. Stores no text. Never throws. */
export type FindDanger = (message: string) => SafetyKind | undefined;

/** Returns a function that builds the model of safety at its first call. Throws if the bytes are other weights. */
export const openSafetyModel = (bytes: Uint8Array): (() => LinearModel) =>
  openHead(bytes, dangerKinds.length, 'safety');

const patterns = dangerKinds.map((kind) => dangerPatterns[kind].map((it) => new RegExp(it)));
/** Words without which no pattern matches. */
const patternWords =
  /kill|kms|unalive|hang|drown|shoot|off my|end |ending|suicid|di(?:e|ing)\b|dead|alive|exist|liv(?:e|ing)\b|my ?self|\bself |\bcut|burn|hurt|harm|scratch|bit|hit|punch|beat|kick|chok|slap|rape|strangl|molest|grope|abuse|stalk|attack|stab|assault|murder|let (?:me|us)|afraid|scared|terrified|born|note|letter|wake|my (?:own |whole )?life|slit|slash|veins|jump|throat|front of|overdose|pills|tablets|meds\b|bottle|death|grab|drag|\bpin|h[eo]ld|shov|threw|throw|push|slam|threat|follow|blackmail|traffick|mugged|forc|lock|touch/;

/** Returns a function with its own working memory, which checks one message at a time. */
export function createFindDanger(model: () => LinearModel): FindDanger {
  const score = createDangerScorer(model);
  return (message) => {
    const explicit = findExplicit(message);
    if (explicit !== undefined) return explicit;
    const { logOdds, kind } = score(message);
    return logOdds >= settings.log_odds_min ? kind : undefined;
  };
}

/** Returns a function that returns the log odds of any danger, and the most likely one. */
export function createDangerScorer(model: () => LinearModel) {
  const readMessage = createMessageReader();
  return (message: string): { logOdds: number; kind: SafetyKind | undefined } => {
    const { scores } = scoreLinear(model(), readMessage(message));
    const most = Math.max(...scores);
    const logOdds = most + Math.log(scores.reduce((sum, it) => sum + Math.exp(it - most), 0));
    return { logOdds, kind: dangerKinds[scores.indexOf(most)] };
  };
}

/** Returns a function that lists the features of a message without its quotes. Each call overwrites its last result. */
export function createMessageReader(): (message: string) => MessageFeatures {
  const tokenizer = createTokenizer();
  const listFeatures = createMessageFeatures();
  return (message) => {
    const features = listFeatures(tokenizer.read(withoutQuotes(message)));
    tokenizer.wipe();
    return features;
  };
}

/** Returns the danger that a message states explicitly. */
export function findExplicit(message: string): SafetyKind | undefined {
  const lower = message.toLowerCase();
  if (!patternWords.test(lower)) return undefined;
  const text = withoutQuotes(lower)
    .replace(/['’]/g, '')
    .replace(/[^a-z]+/g, ' ')
    .trim();
  return dangerKinds.find((_, k) => patterns[k]?.some((pattern) => pattern.test(text)));
}

/** Returns a text without its quotes, because they are the words of others. Keeps a text that is one quote. */
function withoutQuotes(text: string): string {
  const others = text.replace(/"[^"]*"|“[^“”]*”|\*[^*\n]+\*/g, ' ');
  return /\p{L}/u.test(others) ? others : text;
}
