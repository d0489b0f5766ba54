import { startConsoles } from './console.js';
import { startCopying, nameServer, startTabs, startThemeToggle } from './controls.js';
import { startNavigation } from './navigation.js';
import { startSearch } from './search.js';

nameServer();
startThemeToggle();
startTabs();
startCopying();
startConsoles();
startSearch();
startNavigation();
