package main

// AnswerTo is what answers a message.
var AnswerTo = answerTo
