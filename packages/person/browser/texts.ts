/** The texts of the page: one row per text, one column per language. Those of the sentence are in the table of the dashboard. */
import { type Language, languages } from '../../sentence/messages.js';

const texts = {
  brand: { en: 'My state', de: 'Mein Zustand' },
  skip: { en: 'Skip to the content', de: 'Zum Inhalt' },
  theme: { en: 'Switch between light and dark', de: 'Zwischen hell und dunkel wechseln' },
  disclaimer: {
    en: 'Not a medical device. Scores are estimates and must not be used for diagnosis.',
    de: 'Kein Medizinprodukt. Die Werte sind Schätzungen und dienen keiner Diagnose.',
  },
  open_title: { en: 'A page about you', de: 'Eine Seite über dich' },
  open_text: {
    en: 'This link shows what is measured about you. It can be opened only once. Then the page stays in this browser.',
    de: 'Dieser Link zeigt, was bei dir gemessen wird. Er lässt sich nur einmal öffnen. Danach bleibt die Seite in diesem Browser.',
  },
  open: { en: 'Open', de: 'Öffnen' },
  ended_title: { en: 'No open link', de: 'Kein offener Link' },
  ended_text: {
    en: 'The link was opened before, has expired or was ended. Ask for a new link.',
    de: 'Der Link wurde schon geöffnet, ist abgelaufen oder wurde beendet. Bitte um einen neuen Link.',
  },
  no_contact: { en: 'No connection. The page tries again.', de: 'Keine Verbindung. Die Seite versucht es erneut.' },
  failed: { en: 'Not saved. Try again.', de: 'Nicht gespeichert. Versuche es noch einmal.' },
  not_recent: {
    en: 'This needs a link that was opened within the last 15 minutes. Ask for a new link.',
    de: 'Das braucht einen Link, der vor höchstens 15 Minuten geöffnet wurde. Bitte um einen neuen Link.',
  },
  now: { en: 'Now', de: 'Jetzt' },
  loading: { en: 'Loading …', de: 'Wird geladen …' },
  why: { en: 'Why?', de: 'Warum?' },
  why_wrong: { en: 'Why this can be wrong', de: 'Warum das falsch sein kann (englisch)' },
  dispute: { en: 'That is not right', de: 'Das stimmt nicht' },
  dispute_text: {
    en: 'Say what it was, for at most {hours} hours. The measurements of this time are scored again.',
    de: 'Sage, was es war, für höchstens {hours} Stunden. Die Messungen dieser Zeit werden neu bewertet.',
  },
  dispute_from: { en: 'From', de: 'Von' },
  dispute_until: { en: 'Until (empty: now)', de: 'Bis (leer: jetzt)' },
  dispute_exercise: { en: 'I was moving', de: 'Ich habe mich bewegt' },
  dispute_rest: { en: 'I was resting', de: 'Ich habe mich ausgeruht' },
  dispute_not_worn: { en: 'I did not wear it', de: 'Ich habe es nicht getragen' },
  dispute_other_person: { en: 'That was somebody else', de: 'Das war jemand anderes' },
  dispute_else: { en: 'Something else: say how you feel', de: 'Etwas anderes: sage, wie es dir geht' },
  dispute_time: {
    en: 'The time must be past, at most {hours} hours long and not older than what is stored.',
    de: 'Die Zeit muss vergangen sein, höchstens {hours} Stunden lang und nicht älter als das Gespeicherte.',
  },
  dispute_many: {
    en: 'That is enough for one day. Undo one first.',
    de: 'Für einen Tag genug. Mache zuerst eines rückgängig.',
  },
  dispute_consent: {
    en: 'This needs your consent to data about movement.',
    de: 'Das braucht deine Einwilligung zu Bewegungsdaten.',
  },
  disputed: { en: 'Saved: {what}. {change}', de: 'Gespeichert: {what}. {change}' },
  change: {
    en: 'Measurements scored again: {count}. Average before {before} of 100, now {after}.',
    de: 'Neu bewertete Messungen: {count}. Im Mittel vorher {before} von 100, jetzt {after}.',
  },
  change_unknown: {
    en: 'Measurements scored again: {count}. Average before {before} of 100, now unknown.',
    de: 'Neu bewertete Messungen: {count}. Im Mittel vorher {before} von 100, jetzt unbekannt.',
  },
  change_none: {
    en: 'No measurement of the last hour of it changed.',
    de: 'Keine Messung der letzten Stunde davon hat sich geändert.',
  },
  disputed_now: {
    en: 'You said: that is not right. The next measurement counts again.',
    de: 'Du hast gesagt: Das stimmt nicht. Die nächste Messung zählt wieder.',
  },
  undo: { en: 'Undo', de: 'Rückgängig' },
  undone: { en: 'Undone. The measurements are as before.', de: 'Rückgängig gemacht. Die Messungen sind wie zuvor.' },
  parts: {
    en: 'Tap a part to see the state without it:',
    de: 'Tippe einen Teil an, um den Zustand ohne ihn zu sehen:',
  },
  nothing_yet: { en: 'Nothing is measured about you yet.', de: 'Über dich ist noch nichts gemessen.' },
  feel: { en: 'How stressed are you?', de: 'Wie gestresst bist du?' },
  feel_0: { en: 'Not at all', de: 'Gar nicht' },
  feel_3: { en: 'A little', de: 'Etwas' },
  feel_5: { en: 'Moderately', de: 'Mäßig' },
  feel_7: { en: 'Very', de: 'Sehr' },
  feel_10: { en: 'Extremely', de: 'Extrem' },
  felt: { en: 'Saved: {what}.', de: 'Gespeichert: {what}.' },
  week: { en: 'The week', de: 'Die Woche' },
  today: { en: 'Today', de: 'Heute' },
  shares: { en: 'Share of each state in the day:', de: 'Anteil der Zustände am Tag:' },
  day_stress: { en: '{stress} of stress in {measured} measured', de: '{stress} Stress in {measured} Messzeit' },
  day_calm: { en: 'no stress in {measured} measured', de: 'kein Stress in {measured} Messzeit' },
  day_lone_stress: { en: 'stress in one reading', de: 'Stress in einer Messung' },
  day_lone: { en: 'single readings only', de: 'nur einzelne Messungen' },
  day_none: { en: 'not measured', de: 'nicht gemessen' },
  topics: { en: 'Topics', de: 'Themen' },
  topics_text: {
    en: 'What you talked about, and whether more stress was measured with it. Topics are recognized by words, which can go wrong.',
    de: 'Worüber du gesprochen hast, und ob dabei mehr Stress gemessen wurde. Themen werden an Wörtern erkannt; das kann falsch sein.',
  },
  no_topics: { en: 'No topic was recognized.', de: 'Es wurde kein Thema erkannt.' },
  wrong: { en: 'This is wrong', de: 'Das stimmt nicht' },
  remove_text: {
    en: 'The topic and its figures are removed. It appears again if you talk about it again.',
    de: 'Das Thema und seine Werte werden entfernt. Es erscheint wieder, wenn du wieder darüber sprichst.',
  },
  remove_now: { en: 'Yes, remove', de: 'Ja, entfernen' },
  removed: { en: 'Removed: {what}.', de: 'Entfernt: {what}.' },
  active: { en: 'more stress was measured with it', de: 'dabei wurde mehr Stress gemessen' },
  observed: { en: 'mentioned', de: 'erwähnt' },
  resolved: {
    en: 'more stress was measured earlier, not anymore',
    de: 'früher wurde mehr Stress gemessen, jetzt nicht mehr',
  },
  collected: { en: 'What is collected', de: 'Was gesammelt wird' },
  readings: { en: 'Measurements: {count}', de: 'Messungen: {count}' },
  sessions: { en: 'Conversations and series of measurements: {count}', de: 'Gespräche und Messreihen: {count}' },
  since: { en: 'First measured: {date}', de: 'Erste Messung: {date}' },
  signals: { en: 'Measured in the last hour: {what}', de: 'In der letzten Stunde gemessen: {what}' },
  device: { en: 'Sends data: {name}, last {when}', de: 'Sendet Daten: {name}, zuletzt {when}' },
  device_unused: {
    en: 'Connected, has sent nothing yet: {name}',
    de: 'Verbunden, hat noch nichts gesendet: {name}',
  },
  cardiovascular: { en: 'heartbeat', de: 'Herzschlag' },
  vocal: { en: 'voice', de: 'Stimme' },
  visual: { en: 'facial expression', de: 'Gesichtsausdruck' },
  textual: { en: 'words', de: 'Worte' },
  other_session: { en: 'other devices', de: 'andere Geräte' },
  movement: { en: 'movement', de: 'Bewegung' },
  no_text: { en: 'Your words are not stored, only topics.', de: 'Deine Worte werden nicht gespeichert, nur Themen.' },
  consent: { en: 'You allow: {what}', de: 'Du erlaubst: {what}' },
  consent_none: { en: 'You allow nothing: consent is withdrawn.', de: 'Du erlaubst nichts: Einwilligung widerrufen.' },
  readers: { en: 'Who read it', de: 'Wer es gelesen hat' },
  no_readers: { en: 'Nobody read it, or no record is kept.', de: 'Niemand las es, oder es gibt kein Protokoll.' },
  key: { en: 'Those who gave you the link', de: 'Die, von denen du den Link hast' },
  account: {
    en: 'Those who gave you the link, in lists of all people',
    de: 'Die, von denen du den Link hast, in Listen aller Personen',
  },
  token: { en: 'An app that you use', de: 'Eine App, die du benutzt' },
  link: { en: 'You, on this page', de: 'Du, auf dieser Seite' },
  read: { en: 'read', de: 'gelesen' },
  export: { en: 'exported', de: 'exportiert' },
  write: { en: 'replaced values', de: 'Werte ersetzt' },
  erase: { en: 'erased a part', de: 'einen Teil gelöscht' },
  times: { en: '{count} or more times, last {when}', de: 'mindestens {count}-mal, zuletzt {when}' },
  phone: { en: 'Connect a phone', de: 'Handy verbinden' },
  app: { en: 'App', de: 'App' },
  connect: { en: 'Connect', de: 'Verbinden' },
  health_auto_export: {
    en: 'Install Health Auto Export on this iPhone, then open it with the button. Or add a REST API automation in it, with the address and the header.',
    de: 'Installiere Health Auto Export auf diesem iPhone und öffne es mit dem Knopf. Oder lege darin eine Automation „REST API“ mit Adresse und Header an.',
  },
  health_connect: {
    en: 'In HC Webhook, add the address as a webhook, with the header.',
    de: 'Füge in HC Webhook die Adresse als Webhook hinzu, mit dem Header.',
  },
  open_app: { en: 'Open Health Auto Export', de: 'Health Auto Export öffnen' },
  address: { en: 'Address', de: 'Adresse' },
  header: { en: 'Value of the header X-Service-Key', de: 'Wert des Headers X-Service-Key' },
  shown_once: { en: 'The value is shown once.', de: 'Der Wert wird nur einmal gezeigt.' },
  copy: { en: 'Copy', de: 'Kopieren' },
  copied: { en: 'Copied.', de: 'Kopiert.' },
  copy_by_hand: { en: 'Copy the selected text.', de: 'Kopiere den markierten Text.' },
  upload: { en: 'Upload a file', de: 'Datei hochladen' },
  upload_text: {
    en: 'Apple Health, FIT, TCX, GPX, CSV, JSON or a ZIP of such files. This browser reads it, and sends the values, combined per minute.',
    de: 'Apple Health, FIT, TCX, GPX, CSV, JSON oder eine ZIP-Datei mit solchen Dateien. Dieser Browser liest sie und sendet die Werte, zusammengefasst je Minute.',
  },
  files: { en: 'Files', de: 'Dateien' },
  progress: { en: 'Progress', de: 'Fortschritt' },
  reading_file: { en: 'Reading …', de: 'Wird gelesen …' },
  sending: { en: 'Sending {count} minutes …', de: '{count} Minuten werden gesendet …' },
  uploaded: {
    en: 'Stored: {stored}. Already there: {unchanged}. Refused: {refused}. Older than the service stores: {old}.',
    de: 'Gespeichert: {stored}. Schon vorhanden: {unchanged}. Abgelehnt: {refused}. Älter, als der Dienst speichert: {old}.',
  },
  sent_in_part: {
    en: 'The upload stopped. Stored so far: {stored}. Choose the file again to send the rest.',
    de: 'Das Hochladen ist abgebrochen. Bisher gespeichert: {stored}. Wähle die Datei noch einmal, um den Rest zu senden.',
  },
  not_read: { en: 'The file is not readable, or has no heart data.', de: 'Nicht lesbar, oder ohne Herzdaten.' },
  rights: { en: 'Your data', de: 'Deine Daten' },
  download: { en: 'Download your data (CSV)', de: 'Daten herunterladen (CSV)' },
  downloaded: { en: 'Downloaded, with {count} rows.', de: 'Heruntergeladen, mit {count} Zeilen.' },
  withdraw: { en: 'Withdraw consent', de: 'Einwilligung widerrufen' },
  withdraw_text: {
    en: 'The service records that you allow nothing. If it enforces consent, it stores no new measurements of you.',
    de: 'Der Dienst hält fest, dass du nichts erlaubst. Setzt er Einwilligungen durch, speichert er keine neuen Messungen von dir.',
  },
  withdraw_now: { en: 'Yes, withdraw', de: 'Ja, widerrufen' },
  withdrawn: { en: 'Your consent is withdrawn.', de: 'Deine Einwilligung ist widerrufen.' },
  withdraw_off: {
    en: 'This service keeps no consent. Ask the people who gave you the link.',
    de: 'Dieser Dienst führt keine Einwilligung. Frage die, von denen du den Link hast.',
  },
  erase_all: { en: 'Erase everything', de: 'Alles löschen' },
  erase_text: {
    en: 'Everything about you is erased: measurements, topics, keys of phones and this page. Nobody can undo it.',
    de: 'Alles über dich wird gelöscht: Messungen, Themen, Schlüssel der Handys und diese Seite. Niemand kann es rückgängig machen.',
  },
  erase_now: { en: 'Yes, erase everything', de: 'Ja, alles löschen' },
  erased: { en: 'Everything about you is erased.', de: 'Alles über dich ist gelöscht.' },
  ends: { en: 'This page works until {date}.', de: 'Diese Seite funktioniert bis zum {date}.' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

export type Text = keyof typeof texts;

/** The first language of the browser that the page has. */
export const language: Language =
  navigator.languages.map((it) => languages.find((known) => it.startsWith(known))).find(Boolean) ?? 'en';
/** The locale of dates and numbers: with the region of the browser, if it states one. */
const locale = navigator.languages.find((it) => it.startsWith(language)) ?? language;

/** Returns a text with its values. */
export function t(name: Text, values: Readonly<Record<string, string | number>> = {}): string {
  return texts[name][language].replaceAll(
    /\{(\w+)\}/g,
    (_, value: string) => values[value]?.toLocaleString(locale) ?? '',
  );
}

export const weekday = (ms: number) => new Date(ms).toLocaleDateString(locale, { weekday: 'short', timeZone: 'UTC' });
export const day = (ms: number) => new Date(ms).toLocaleDateString(locale, { dateStyle: 'long' });
export const moment = (ms: number) => new Date(ms).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
export const period = (fromMs: number, toMs: number) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).formatRange(fromMs, toMs);
/** Returns the hour that begins at a time, of which the service stores the last use of a key. */
export const hour = (ms: number) => period(ms, ms + 3_600_000);
export const list = (names: readonly string[]) => new Intl.ListFormat(locale, { type: 'conjunction' }).format(names);
