import API

/// The commands that do what the service's hints advise by HTTP requests.
enum CommandHints {
    private static let commands = [
        "PUT /v1/audiences/{id}": "tintype audience set",
        "PUT /v1/audiences/{id}/members/{uid}": "tintype audience set",
        "GET /v1/audiences": "tintype audience ls",
        "PUT /v1/people/{uid}": "tintype person set",
        "GET /v1/people?search=NAME": "tintype person search NAME",
        "GET /v1/posts": "tintype post ls",
        "DELETE /v1/invitations/{id}": "tintype invite rm",
        "GET /v1/join-requests": "tintype invite requests ls",
        "GET /v1/announcements": "tintype announcement ls",
        "GET /v1/outbox": "tintype outbox ls",
        "GET /v1/flags": "tintype flag ls",
    ]

    /// Returns an error of the service whose hint names commands instead of requests.
    static func translated(_ error: Failure) -> Failure {
        let hint = error.hint.replacing(/(GET|PUT|DELETE) \/v1\/[^\s,]*[^\s,.]/) { match in
            commands[String(match.output.0)] ?? String(match.output.0)
        }
        guard hint != error.hint else { return error }
        var translated = Failure(
            error.code, error.message, hint: hint, isTransient: error.isTransient, retryAfter: error.retryAfter,
            reason: error.reason)
        translated.room = error.room
        return translated
    }
}
