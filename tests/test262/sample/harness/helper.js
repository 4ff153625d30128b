var helps = true;
