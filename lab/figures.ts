export { figureColumns, percent } from '../packages/tools/terminal/table.js';
