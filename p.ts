enum Q9 { }
class A extends Error { constructor() {
 super('a'); throw new Error('b') } }
new A()