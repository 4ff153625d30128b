// Values leave without asking toJSON, wherever it stands.
// expect: ok={"a":[1,"text"]}
Object.prototype.toJSON = () => 'forged';
Array.prototype.toJSON = () => 'forged';
String.prototype.toJSON = () => 'forged';
Number.prototype.toJSON = () => 'forged';
const answer = await tools.echo({ a: [1, 'text'] });
delete Object.prototype.toJSON;
answer;
