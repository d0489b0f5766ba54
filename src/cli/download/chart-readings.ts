import { parse } from 'csv-parse/sync';
import type { Schema, State } from '../../contract.js';
import type { ChartReading } from '../../terminal/thinned-readings.js';
import type { ExportQuery } from './connection.js';

/** Returns a function that takes the rows of an export in their order, and returns what a chart shows of them. */
export function createChartReader(format: ExportQuery['format']): (rows: Uint8Array) => ChartReading[] {
  return format === 'csv' ? createCsvReader() : readLines;
}

function readLines(rows: Uint8Array): ChartReading[] {
  const lines = Buffer.from(rows).toString().trimEnd().split('\n');
  return lines.map((line) => {
    const { reading, computed }: Schema<'ExportedReading'> = JSON.parse(line);
    return {
      atMs: Date.parse(reading.timestamp),
      heartRate: reading.heart_rate ?? computed.heart_rate,
      score: computed.stress_score,
      state: computed.state,
      topics: computed.topics_detected,
    };
  });
}

/** The first row that the reader takes must be the header row. */
function createCsvReader(): (rows: Uint8Array) => ChartReading[] {
  let columns: string[] | undefined;
  return (rows) => {
    const records: string[][] = parse(Buffer.from(rows), { relax_column_count: true });
    columns ??= records.shift() ?? [];
    const names = columns;
    return records.map((record) => readRecord((name) => record[names.indexOf(name)] ?? ''));
  };
}

function readRecord(cell: (column: string) => string): ChartReading {
  const heartRate = cell('heart_rate') || cell('derived_heart_rate');
  return {
    atMs: Date.parse(cell('timestamp')),
    heartRate: heartRate === '' ? undefined : Number(heartRate),
    score: Number(cell('stress_score')),
    state: cell('state') as State,
    topics: cell('topics_detected').split(' ').filter(Boolean),
  };
}
