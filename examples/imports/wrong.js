import { total } from './totl.js';
total({})
