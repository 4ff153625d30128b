import { total } from './lib/total.js';
import prices from './prices.json' with { type: 'json' };
total(prices)
