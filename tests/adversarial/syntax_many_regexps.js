// expect: ok="done"
// timeout: 20000
for (let i = 0; i < 20000; i++) new RegExp('(a' + i + ')|[b-z]{1,' + (i % 100 + 1) + '}', 'giu');
'done';
