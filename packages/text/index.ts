export { isTask, keepOwnWords } from './own-words.js';
export {
  createTexts,
  type MessageAnalysis,
  type TextAnalysis,
  type Texts,
  type Turn,
  type TurnAnalysis,
} from './texts.js';
export type { TopicName } from './vocabulary.js';
