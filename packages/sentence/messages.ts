/** The messages of the sentence about a person: one row per message, one column per language. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' };

export const messages = {
  calm: { en: 'Calm', de: 'Ruhig' },
  relaxed: { en: 'Relaxed', de: 'Entspannt' },
  focused: { en: 'Focused', de: 'Konzentriert' },
  stressed: { en: 'Stressed', de: 'Gestresst' },
  acute_stress: { en: 'Acute stress', de: 'Akuter Stress' },

  state_for: { en: '{state} for {time}', de: '{state} seit {time}' },
  state_since: { en: '{state} since {at}', de: '{state} seit {at}' },
  one_reading: { en: '{state} in one reading at {at}', de: '{state} in einer Messung um {at}' },
  unknown: { en: 'State unknown: no signal counts now', de: 'Zustand unbekannt: derzeit zählt kein Signal' },
  unknown_weak: {
    en: 'State unknown: nothing in the words stands out',
    de: 'Zustand unbekannt: in den Worten fällt nichts auf',
  },
  unsure: {
    en: 'uncertain, because the signals are few, old or disagree',
    de: 'unsicher, weil die Signale wenige oder alt sind oder einander widersprechen',
  },
  last_state: {
    en: 'Last known state: {state} at {at}, which does not count now, because every signal is older than {time}',
    de: 'Letzter bekannter Zustand: {state} um {at}; er zählt jetzt nicht, weil jedes Signal älter als {time} ist',
  },
  last_state_day: {
    en: 'Last known state: {state} on {date} at {at}, which does not count now, because every signal is older than {time}',
    de: 'Letzter bekannter Zustand: {state} am {date} um {at}; er zählt jetzt nicht, weil jedes Signal älter als {time} ist',
  },
  not_live: { en: 'No live signal since {at}', de: 'Seit {at} kein aktuelles Signal' },
  no_live: {
    en: 'all readings were imported, so the present state is unknown',
    de: 'alle Messungen wurden importiert, daher ist der jetzige Zustand unbekannt',
  },
  hour_more: { en: 'more than usual at this hour', de: 'mehr als sonst um diese Zeit' },
  hour_usual: { en: 'not more than usual at this hour', de: 'nicht mehr als sonst um diese Zeit' },

  calming: { en: 'kept until calm lasts', de: 'gilt, bis Ruhe anhält' },
  heart_above: { en: 'heart rate {bpm} above usual', de: 'Puls {bpm} über dem Üblichen' },
  heart_below: { en: 'heart rate {bpm} below usual', de: 'Puls {bpm} unter dem Üblichen' },
  heart_usual: { en: 'heart rate as usual', de: 'Puls wie üblich' },
  heart_unlearned: { en: 'heart rate {bpm}, usual one not learned yet', de: 'Puls {bpm}, der übliche ist unbekannt' },
  heart_raised: { en: 'raised heart rate', de: 'erhöhter Puls' },
  heart_low: { en: 'low heart rate', de: 'niedriger Puls' },
  variability_low: { en: 'low heart variability', de: 'geringe Herzvariabilität' },
  variability_high: { en: 'high heart variability', de: 'hohe Herzvariabilität' },
  raised_stress: {
    en: 'the heart rate is raised since {at}, without steps',
    de: 'der Puls ist seit {at} erhöht, ohne Schritte',
  },
  raised_exertion: {
    en: 'the heart rate is raised since {at}, as in exertion',
    de: 'der Puls ist seit {at} erhöht, wie bei Anstrengung',
  },
  raised_recovery: {
    en: 'the heart rate is raised since {at}, as after exertion',
    de: 'der Puls ist seit {at} erhöht, wie nach einer Anstrengung',
  },
  raised_all_day: {
    en: 'the heart rate is raised for most of the day: heat, a short night or exertion are possible, too',
    de: 'der Puls ist den größten Teil des Tages erhöht: Hitze, eine kurze Nacht oder Anstrengung sind auch möglich',
  },
  raised_waking: {
    en: 'the heart rate is raised since {at}, soon after sleep: getting up is possible, too',
    de: 'der Puls ist seit {at} erhöht, kurz nach dem Schlaf: Aufstehen ist auch möglich',
  },
  raised_unknown: {
    en: 'the heart rate is raised since {at}, for an unknown cause: exertion, heat or joy are possible, too',
    de: 'der Puls ist seit {at} erhöht, aus unbekannter Ursache: Anstrengung, Hitze oder Freude sind auch möglich',
  },
  vocal_up: { en: 'a strained voice', de: 'angespannte Stimme' },
  vocal_down: { en: 'a calm voice', de: 'ruhige Stimme' },
  vocal_focused: { en: 'a focused voice', de: 'konzentrierte Stimme' },
  vocal_hesitant: { en: 'a hesitant voice', de: 'zögernde Stimme' },
  vocal_excited: { en: 'an excited voice', de: 'aufgeregte Stimme' },
  visual_concentrated: { en: 'a concentrated face', de: 'konzentriertes Gesicht' },
  visual_surprised: { en: 'a surprised face', de: 'überraschtes Gesicht' },
  visual_up: { en: 'a strained face', de: 'angespanntes Gesicht' },
  visual_down: { en: 'a relaxed face', de: 'entspanntes Gesicht' },
  textual_up: { en: 'negative or urgent words', de: 'negative oder drängende Worte' },
  textual_down: { en: 'positive words', de: 'positive Worte' },
  textual_negative: { en: 'negative words', de: 'negative Worte' },
  textual_urgent: { en: 'urgent words', de: 'drängende Worte' },
  textual_positive: { en: 'positive words', de: 'positive Worte' },
  talk: { en: 'the talk about {topic}', de: 'das Gespräch über {topic}' },
  talk_trigger: {
    en: 'the talk about {topic}, which goes with more stress',
    de: 'das Gespräch über {topic}, das mit mehr Stress einhergeht',
  },
  talk_trigger_you: {
    en: 'the talk about {topic}, which goes with more stress for you',
    de: 'das Gespräch über {topic}, das bei dir mit mehr Stress einhergeht',
  },

  now_unsure: { en: '{clause} (uncertain)', de: '{clause} (unsicher)' },
  ended: { en: 'Not measured since {at}', de: 'Seit {at} nicht gemessen' },
  ended_state: { en: 'Not measured since {at}, {state} before', de: 'Seit {at} nicht gemessen, davor {state}' },
  imported: {
    en: 'State now unknown: all readings were imported',
    de: 'Zustand jetzt unbekannt: nur importierte Messungen',
  },
  without: { en: '{part}: {score}, {state}', de: '{part}: {score}, {state}' },
  without_unknown: { en: '{part}: unknown', de: '{part}: unbekannt' },
  without_cardiovascular: { en: 'Without the heart rate', de: 'Ohne den Puls' },
  without_cardiovascular_you: { en: 'Without your heart rate', de: 'Ohne deinen Puls' },
  without_vocal: { en: 'Without the voice', de: 'Ohne die Stimme' },
  without_vocal_you: { en: 'Without your voice', de: 'Ohne deine Stimme' },
  without_visual: { en: 'Without the face', de: 'Ohne das Gesicht' },
  without_visual_you: { en: 'Without your face', de: 'Ohne dein Gesicht' },
  without_textual: { en: 'Without the words', de: 'Ohne die Worte' },
  without_textual_you: { en: 'Without your words', de: 'Ohne deine Worte' },
  without_other_session: { en: 'Without other sessions', de: 'Ohne andere Sitzungen' },
  without_other_session_you: { en: 'Without other devices', de: 'Ohne andere Geräte' },

  rise_unknown: { en: 'Stress possible', de: 'Stress möglich' },
  rise_exertion: { en: 'As in exertion', de: 'Wie bei Anstrengung' },
  rise_recovery: { en: 'As after exertion', de: 'Wie nach Anstrengung' },
  rise_waking: { en: 'Soon after sleep', de: 'Kurz nach dem Schlaf' },
  rise_all_day: { en: 'Raised most of the day', de: 'Heute erhöht' },

  do_ask: { en: 'Ask how they feel.', de: 'Frage, wie es geht.' },
  do_ask_you: { en: 'Say how you feel.', de: 'Sage, wie es dir geht.' },
  do_nothing: { en: 'Nothing to do.', de: 'Du musst nichts tun.' },
  do_undisturbed: { en: 'Avoid interruptions.', de: 'Vermeide Störungen.' },
  do_slowly: { en: 'Go slowly.', de: 'Geh es langsam an.' },
  do_break: { en: 'Suggest a short break.', de: 'Rate zu einer Pause.' },
  do_break_you: { en: 'Take a short break.', de: 'Mach eine kurze Pause.' },
  do_break_now: { en: 'Offer a break now.', de: 'Biete jetzt eine Pause an.' },
  do_break_now_you: { en: 'Take a break now.', de: 'Mach jetzt eine Pause.' },
  do_check: { en: 'Check the device.', de: 'Prüfe das Gerät.' },
  do_connect: { en: 'Connect a device.', de: 'Verbinde ein Gerät.' },
  do_measure: { en: 'Add a heart rate.', de: 'Miss auch den Puls.' },

  stress_today: { en: '{time} of stress today', de: 'heute {time} Stress' },
  no_stress_today: { en: 'no stress today in {measured} measured', de: 'heute kein Stress in {measured} Messzeit' },
  lone_stress_today: { en: 'stress in one reading today', de: 'heute Stress in einer einzelnen Messung' },
  in_measured: { en: '{clause} in {measured} measured', de: '{clause} in {measured} Messzeit' },
  day_more: { en: 'more stress than usual by this hour', de: 'mehr Stress als sonst bis zu dieser Zeit' },
  day_less: { en: 'less stress than usual by this hour', de: 'weniger Stress als sonst bis zu dieser Zeit' },
  day_usual: { en: 'about as much stress as usual by this hour', de: 'etwa so viel Stress wie bis jetzt üblich' },
  first_day: {
    en: 'less certain, because the service does not know the person yet',
    de: 'weniger sicher, weil der Dienst die Person noch nicht kennt',
  },
  first_day_you: {
    en: 'less certain, because the service does not know you yet',
    de: 'weniger sicher, weil der Dienst dich noch nicht kennt',
  },
  nothing_today: { en: 'nothing was measured today', de: 'heute wurde nichts gemessen' },
  not_observed: { en: '{time} not observed', de: '{time} nicht beobachtet' },
  newest: { en: 'the newest measured day is {date}', de: 'der letzte gemessene Tag ist {date}' },
  nothing: { en: 'nothing was measured in the last four weeks', de: 'seit vier Wochen wurde nichts gemessen' },
  under_a_minute: { en: 'less than a minute', de: 'weniger als eine Minute' },

  work: { en: 'work', de: 'Arbeit' },
  school: { en: 'school', de: 'Schule' },
  finances: { en: 'finances', de: 'Finanzen' },
  health: { en: 'health', de: 'Gesundheit' },
  family: { en: 'family', de: 'Familie' },
  relationships: { en: 'relationships', de: 'Beziehungen' },
  emotional_wellbeing: { en: 'emotional wellbeing', de: 'das seelische Wohlbefinden' },
  daily_decisions: { en: 'daily decisions', de: 'Entscheidungen des Alltags' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

export type Message = keyof typeof messages;

/** Returns a message with its values. */
export function say(language: Language, message: Message, values: Readonly<Record<string, string | number>> = {}) {
  return messages[message][language].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Returns e.g. `2 hours 5 minutes`, or `2 Stunden 5 Minuten`. */
export function sayDuration(language: Language, seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes === 0) return say(language, 'under_a_minute');
  const parts = [
    [Math.floor(minutes / 60), 'hour'],
    [minutes % 60, 'minute'],
  ] as const;
  return parts
    .filter(([value]) => value > 0)
    .map(([value, unit]) =>
      new Intl.NumberFormat(locales[language], { style: 'unit', unit, unitDisplay: 'long' }).format(value),
    )
    .join(' ');
}

/** Returns e.g. `2 h 5 min`, in each language. */
export function sayShortDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ');
}

export function sayTime(language: Language, atMs: number): string {
  return new Date(atMs).toLocaleTimeString(locales[language], { hour: '2-digit', minute: '2-digit' });
}

export function sayDate(language: Language, atMs: number): string {
  return new Date(atMs).toLocaleDateString(locales[language], { day: 'numeric', month: 'long' });
}
