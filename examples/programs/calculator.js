// A tokenizer, a recursive parser and an evaluator, with errors that say where.
class ParseError extends SyntaxError {
  constructor(message, position) {
    super(`${message} at ${position}`);
    this.name = 'ParseError';
    this.position = position;
  }
}

function* tokenize(source) {
  const pattern = /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<name>[a-z]\w*)|(?<operator>\*\*|[-+*/%(),=]))/gy;
  while (pattern.lastIndex < source.trimEnd().length) {
    const position = pattern.lastIndex;
    const match = pattern.exec(source);
    if (!match) throw new ParseError(`unexpected '${source[position]}'`, position);
    const [type, text] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    yield { type, text, position };
  }
  yield { type: 'end', text: '', position: source.length };
}

const functions = { max: Math.max, sqrt: Math.sqrt, round: (value, digits = 0) => Math.round(value * 10 ** digits) / 10 ** digits };
const levels = [{ '+': (a, b) => a + b, '-': (a, b) => a - b }, { '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b }];

function evaluate(source, variables = new Map()) {
  const tokens = [...tokenize(source)];
  let at = 0;
  const peek = () => tokens[at];
  const take = (text) => (peek().text === text && peek().type === 'operator' ? tokens[at++] : null);
  const expect = (text) => { if (!take(text)) throw new ParseError(`expected '${text}'`, peek().position); };

  const binary = (level) => {
    if (level === levels.length) return power();
    let left = binary(level + 1);
    for (let operator; (operator = Object.keys(levels[level]).find((text) => take(text))); ) left = levels[level][operator](left, binary(level + 1));
    return left;
  };
  const power = () => { const base = unary(); return take('**') ? base ** power() : base; };
  const unary = () => (take('-') ? -unary() : primary());
  const primary = () => {
    if (take('(')) { const value = binary(0); expect(')'); return value; }
    const { type, text, position } = tokens[at++];
    if (type === 'number') return Number(text);
    if (type !== 'name') throw new ParseError(type === 'end' ? 'unexpected end' : `unexpected '${text}'`, position);
    if (take('(')) {
      const args = [];
      if (!take(')')) { do args.push(binary(0)); while (take(',')); expect(')'); }
      if (!Object.hasOwn(functions, text)) throw new ParseError(`no function ${text}`, position);
      return functions[text](...args);
    }
    if (take('=')) { variables.set(text, binary(0)); return variables.get(text); }
    if (!variables.has(text)) throw new ParseError(`unknown variable ${text}`, position);
    return variables.get(text);
  };

  const value = binary(0);
  if (peek().type !== 'end') throw new ParseError(`unexpected '${peek().text}'`, peek().position);
  return value;
}

const variables = new Map();
const results = ['1 + 2 * 3', '(1 + 2) * -3', '2 ** 3 ** 2', 'x = max(3, sqrt(16), 2) % 3', 'round(10 / 3, 2) + x', '1 +', '2 $ 3', 'y * 2', 'constructor(1)', '(1'].map((source) => {
  try { return evaluate(source, variables); } catch (error) { return `${error.name}: ${error.message}`; }
});
console.log(variables);
results;
