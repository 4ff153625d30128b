#!/usr/bin/env cordon
1