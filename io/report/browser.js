"use strict";
/* The browser of events. */
