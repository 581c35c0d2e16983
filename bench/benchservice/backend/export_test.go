package main

// AnswerTo returns the answer to a message.
var AnswerTo = answerTo
