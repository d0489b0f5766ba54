/** Runs before the page is shown, so that it never flashes in the other theme and never shows the key in its address. */
import '../../docs/browser/theme.js';
import { takeKey } from './key-form.js';

takeKey();
