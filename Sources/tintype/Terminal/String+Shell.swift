extension String {
    /// The text as one argument of a command in a shell: in quotes if it needs them.
    var shellArgument: String {
        if wholeMatch(of: /[A-Za-z0-9_.,:\/@%+=-]+/) != nil { return self }
        return "'" + replacing("'", with: #"'\''"#) + "'"
    }
}
