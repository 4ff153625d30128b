throw "left out";
