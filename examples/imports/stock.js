import stock from './stock.csv' with { type: 'text' };
stock.trim().split('\n').map((line) => line.split(','))
