// Getters, setters, defineProperty, freezing: an object that keeps its own rules.
const temperature = {
  _celsius: 20,
  get celsius() { return this._celsius; },
  set celsius(value) {
    if (typeof value !== 'number' || Number.isNaN(value)) throw new TypeError(`not a temperature: ${value}`);
    this._celsius = value;
  },
  get fahrenheit() { return this._celsius * 1.8 + 32; },
  set fahrenheit(value) { this.celsius = (value - 32) / 1.8; },
};

temperature.fahrenheit = 212;
console.log(temperature.celsius, temperature.fahrenheit);

const settings = Object.defineProperties({}, {
  version: { value: 3, enumerable: true },
  secret: { value: 'hidden', enumerable: false },
  name: { value: 'app', writable: true, enumerable: true, configurable: true },
});

const attempts = [];
const attempt = (name, action) => {
  try {
    action();
    attempts.push(`${name}: ok`);
  } catch (error) {
    attempts.push(`${name}: ${error.constructor.name}`);
  }
};
const frozen = Object.freeze({ list: [1], deep: { n: 1 } });
attempt('set text', () => { 'use strict'; temperature.celsius = 'hot'; });
attempt('write version', () => { 'use strict'; settings.version = 4; });
attempt('write name', () => { 'use strict'; settings.name = 'other'; });
attempt('frozen', () => { 'use strict'; frozen.list = []; });
attempt('frozen, inside', () => { 'use strict'; frozen.list.push(2); });
attempt('delete', () => { 'use strict'; delete settings.version; });

const lazy = {
  get expensive() {
    Object.defineProperty(this, 'expensive', { value: [...Array(3).keys()], enumerable: true });
    return this.expensive;
  },
};
const { get } = Object.getOwnPropertyDescriptor(temperature, 'fahrenheit');
({
  kelvin: get.call({ _celsius: 0 }) === 32,
  settings, keys: Object.getOwnPropertyNames(settings), attempts, frozen,
  lazy: [lazy.expensive === lazy.expensive, lazy.expensive],
  copied: { ...temperature },
  sealed: [Object.isFrozen(frozen), Object.isSealed(settings), Object.isExtensible(settings)],
});
