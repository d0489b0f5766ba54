import { startConsoles } from './console.js';
import { startCopying } from './copy.js';
import { startNavigation } from './navigation.js';
import { startSearch } from './search.js';
import { nameServer } from './server-name.js';
import { startTabs } from './tabs.js';
import { startThemeToggle } from './theme-toggle.js';

nameServer();
startThemeToggle();
startTabs();
startCopying();
startConsoles();
startSearch();
startNavigation();
