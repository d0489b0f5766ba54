/** Rows of the documents for lawyers and for the people concerned, from the contract, the configuration and the data map. */
import * as spec from '../../generated/spec.js';
import { listAllSettings } from '../../src/config/settings.js';
import { contract, operations } from '../../packages/docs/contract.js';
import { code, describeRetention, tableUses } from './data-map.js';

type Rows = string[][];
type Category = (typeof spec.enums.ConsentCategory)[number];

/** Marks what the deployer must write. A test checks that the documents use no other mark. */
export const blank = '**[Fill in]**';

/** The categories of consent in words for the people concerned. */
const plainCategories: Readonly<Record<Category, string>> = {
  cardiovascular: 'Measurements of your body, such as your heart rate',
  vocal: 'How your voice sounds: a label such as "tense", no recording',
  visual: 'What your face shows: a label such as "smiling", no picture',
  textual: 'The mood, urgency and topics of your messages. The messages themselves are not stored',
  movement: 'How much you move',
};

/** Fields of a state reading that the service infers about a person. */
const inferred = [
  ...['state', 'state_since', 'stress_score', 'confidence', 'suggested_action', 'action_reason', 'recommendation'],
  ...[
    'evidence',
    'raised',
    'contributions',
    'without',
    'baseline',
    'adaptation_effectiveness',
    'derived',
    'topics_detected',
    'active_triggers',
    'resolved_triggers',
    'safety',
  ],
];
/** Fields that identify the reading, or describe how it was processed. */
const technical = [
  ...['hsp_version', 'session_id', 'subject_id', 'timestamp', 'signals_received', 'signals_dropped', 'model_version'],
  ...['shared_signals', 'rr_quality', 'text_analysis', 'safety_source', 'disclaimer'],
];

/** Returns a row per category of consent: its signals by their use. */
export function consentRows(): Rows {
  return spec.enums.ConsentCategory.map((category) => [
    code(category),
    listSignals(category, ['evidence', 'derivation']),
    listSignals(category, ['context']),
    listSignals(category, ['stored only']),
  ]);
}

/** Returns a row per category of consent, for the deployer to justify. */
export function necessityRows(): Rows {
  return spec.enums.ConsentCategory.map((category) => [code(category), blank, blank, blank]);
}

/** Returns a row per result that the service infers. Throws if the contract has a field that is in neither list. */
export function inferredRows(): Rows {
  const { properties = {} } = contract.components.schemas['StateReading'] ?? {};
  const unknown = Object.keys(properties).filter((name) => ![...inferred, ...technical].includes(name));
  if (unknown.length > 0)
    throw new Error(`add ${unknown.join(', ')} to inferred or technical in scripts/generate/accountability.ts`);
  return inferred.map((name) => [code(name), describeField('StateReading', name)]);
}

/** Returns a row per table with data that can be assigned to a person. */
export function storedRows(): Rows {
  return Object.entries(tableUses).flatMap(([name, it]) =>
    it.identifies === 'nobody' ? [] : [[code(name), it.content, it.identifies, describeRetention(it), it.erasure]],
  );
}

/** Returns a row per variable that sets a retention. The last cell is the value of the deployment. */
export function retentionRows(): Rows {
  return listAllSettings()
    .filter(({ name }) => name.startsWith('RETENTION_'))
    .map((it) => [code(it.name), it.help, it.default, blank]);
}

/** Returns a row per scope whose holders can read data of people. The last cell names the holders. */
export function recipientRows(): Rows {
  const scopes: Readonly<Record<string, string>> = spec.operationScopes;
  return Object.entries(spec.scopes).flatMap(([scope, description]) => {
    const tables = Object.entries(tableUses).filter(
      ([, it]) => it.identifies !== 'nobody' && it.readBy.some((id) => scopes[id] === scope),
    );
    return tables.length === 0 ? [] : [[code(scope), description, listNames(tables.map(([name]) => name)), blank]];
  });
}

/** Returns a row per operation that answers a request of one person, by the right that it serves. */
export function requestRows(): Rows {
  const rights: Readonly<Record<string, string>> = { GET: 'access', PUT: 'consent, withdrawal', DELETE: 'erasure' };
  return operations.flatMap(({ method, path, parameters, summary }) => {
    const right = rights[method];
    const namesPerson = parameters.some(({ name }) => name === 'subject_id');
    return right && namesPerson ? [[right, code(`${method} ${path}`), summary]] : [];
  });
}

/** Returns a row per category of consent, for the people concerned. */
export function noticeRows(): Rows {
  return spec.enums.ConsentCategory.map((category) => [plainCategories[category], blank]);
}

/** Returns a row per kind of stored data, for the people concerned. */
export function noticeRetentionRows(): Rows {
  return Object.values(tableUses).flatMap(({ notice, retention }) =>
    notice ? [[notice, describeSpan(retention)]] : [],
  );
}

/** Returns the default of a variable with its unit, e.g. `8 days`, or the sentence. */
function describeSpan(retention: string): string {
  const setting = listAllSettings().find(({ name }) => name === retention);
  if (!setting) return retention.replace('the person is', 'your data is');
  const count = Number.parseInt(setting.default, 10);
  return retention.endsWith('_HOURS') ? `${count / 24} days` : `${count} days`;
}

function listSignals(category: Category, uses: readonly string[]): string {
  const names = Object.entries(spec.signals).filter(([, it]) => it.consent === category && uses.includes(it.use));
  return listNames(names.map(([name]) => name));
}

function listNames(names: readonly string[]): string {
  return names.map(code).join(', ');
}

/** Returns the first sentence of the description of a field. */
function describeField(schema: string, name: string): string {
  const schemas = contract.components.schemas;
  const field = schemas[schema]?.properties?.[name] ?? {};
  const { description = '' } = schemas[field.$ref?.split('/').at(-1) ?? ''] ?? field;
  return (
    description
      .trim()
      .replaceAll('\n', ' ')
      .split(/(?<=\.) /)[0] ?? ''
  );
}
