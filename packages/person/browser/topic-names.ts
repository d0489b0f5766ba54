import { language } from './texts.js';

/** Topics of the contract in German. A topic that this page does not know keeps its English name. */
const german: Readonly<Record<string, string>> = {
  ...{ work_general: 'Arbeit', work_performance: 'Leistung bei der Arbeit', workload: 'Arbeitsmenge' },
  ...{ job_loss: 'Jobverlust', job_search: 'Arbeitssuche', boss_and_coworkers: 'Vorgesetzte und Kollegen' },
  ...{ work_schedule: 'Arbeitszeiten', career_direction: 'berufliche Richtung', own_business: 'eigenes Unternehmen' },
  ...{ school_general: 'Schule', exams: 'Prüfungen', grades: 'Noten', assignments: 'Hausarbeiten', studying: 'Lernen' },
  ...{ school_admission: 'Zulassung', graduation: 'Abschluss', school_people: 'Menschen in der Schule' },
  ...{ finances_general: 'Geld', debt: 'Schulden', bills: 'Rechnungen', housing_costs: 'Wohnkosten' },
  ...{ income: 'Einkommen', money_shortage: 'Geldmangel', savings: 'Ersparnisse', expenses: 'Ausgaben' },
  ...{ health_general: 'Gesundheit', sleep: 'Schlaf', fatigue: 'Müdigkeit', illness: 'Krankheit' },
  ...{ physical_pain: 'Schmerzen', medical_care: 'Arztbesuche', body_weight: 'Körpergewicht' },
  ...{ substance_use: 'Alkohol und Drogen', pregnancy: 'Schwangerschaft', parenting: 'Elternschaft' },
  ...{ family_general: 'Familie', family_distance: 'Entfernung von der Familie', marriage: 'Ehe' },
  ...{ family_conflict: 'Streit in der Familie', family_illness: 'Krankheit in der Familie' },
  ...{ family_gatherings: 'Familienfeiern', relationships_general: 'Beziehungen', breakup: 'Trennung' },
  ...{ dating: 'Dating', romantic_relationship: 'Partnerschaft', infidelity: 'Untreue', friendship: 'Freundschaft' },
  ...{ roommates_and_neighbors: 'Mitbewohner und Nachbarn', social_situations: 'soziale Situationen' },
  ...{ emotional_wellbeing_general: 'Wohlbefinden', anxiety: 'Angst', depression: 'Niedergeschlagenheit' },
  ...{ grief: 'Trauer', loneliness: 'Einsamkeit', anger: 'Wut', self_esteem: 'Selbstwert', overwhelm: 'Überforderung' },
  ...{ trauma: 'Trauma', pandemic: 'Pandemie', world_events: 'Weltgeschehen', daily_decisions_general: 'Alltag' },
  ...{ indecision: 'Unentschlossenheit', time_pressure: 'Zeitdruck', household_chores: 'Haushalt', meals: 'Essen' },
  ...{ divorce: 'Scheidung', moving_home: 'Umzug', transport: 'Wege und Verkehr', travel_plans: 'Reisepläne' },
};

/** Returns the name of a topic for a person. */
export function nameTopic(topic: string): string {
  const english = topic.replace(/_general$/, '').replaceAll('_', ' ');
  const name = (language === 'de' ? german[topic] : undefined) ?? english;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
