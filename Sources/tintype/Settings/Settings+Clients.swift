import Access
import Accounts
import Transport
import Uploads

/// The settings about clients of the service.
extension Settings {
    static let accounts: [any Setting] =
        [
            StoredSetting(
                name: "sign-up", target: \ServiceSettings.signUp, defaultText: "",
                defaultDescription: "`email anonymous`, and `invitation` once other machines reach the service",
                help: "Who may create an account: anyone with an e-mail address (email), anyone anonymously "
                    + "(anonymous), people with an invitation (invitation), or none.",
                details: "Several words may be given. `invitation request` also lets people ask for an invitation "
                    + "([how](Accounts.md#invitations)). `tintype user add` creates accounts in any case "
                    + "([why](Security.md#on-a-network)).",
                flag: .value("ways"),
                expectation: "some of email, anonymous, invitation and \"invitation request\", or none",
                isLive: true,
                parse: { $0.isEmpty ? .some(nil) : SignUpMethods(parsing: $0).map(Optional.some) })
        ] + OutgoingChoice.accounts.settings

    /// The delivery of notifications.
    static let notifications = OutgoingChoice.notifications.settings

    /// The moderation of posts before they are published.
    static let moderation = OutgoingChoice.moderation.settings

    /// The retention of posts.
    static let retention: [any Setting] = [
        StoredSetting(
            name: "post-retention", target: \PipelineSettings.postRetention, defaultText: "forever",
            help: "The age at which posts are deleted.",
            details: "`forever` keeps them ([how](Social.md#posts-that-expire)).", flag: .value("time"),
            expectation: "a time such as 30d, of at least 1h, or forever", isLive: true,
            parse: { text in
                guard text != "forever" else { return .some(nil) }
                return SettingParsers.duration(text).flatMap { $0 >= .seconds(3600) ? Optional.some($0) : nil }
            })
    ]

    /// The issuers of tokens that are accepted, in addition to the service's own.
    static let issuers: [any Setting] = [
        StoredSetting(
            name: "firebase-projects", target: \ServiceSettings.firebaseProjects, defaultText: "",
            help: "Firebase projects whose ID tokens are accepted, so that their users are users here.",
            details: "Such as `friendlypix-4fa62` ([how](Accounts.md#tokens-of-other-issuers)).",
            flag: .value("projects"), expectation: "a list of project ids",
            parse: { try words($0).map { try IssuerSettings.firebase(project: $0) } }),
        StoredSetting(
            name: "issuers", target: \ServiceSettings.issuersFile, defaultText: "",
            help: "A JSON file of other OpenID Connect issuers whose ID tokens are accepted.",
            details: "[Accounts.md](Accounts.md#tokens-of-other-issuers) has examples.", flag: .value("file"),
            expectation: "a file", parse: { $0 }),
        StoredSetting(
            name: "service-accounts", target: \ServiceSettings.serviceAccounts, defaultText: "",
            help: "Files of the service accounts whose custom tokens apps may use to sign in.",
            details: "`FILE` is the JSON file of a service account, `EMAIL=FILE` its certificate or public key in PEM.",
            flag: .value("files"), expectation: "a list of files", parse: { words($0) }),
    ]

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    static let clients: [any Setting] = [
        clientLimit(
            "client-requests", \.requestsPerSecond, flag: "n",
            help: "The requests per second that one client may send over TCP, on average.",
            details: """
                `none` means no limit. A client is a user who has signed in, or an address. The limit on the rows that \
                may be read depends on it ([how](HTTP.md#on-tcp)).
                """),
        clientLimit(
            "client-bytes", \.bytesPerSecond, flag: "bytes",
            help: "The bytes per second that one client may send over TCP, on average."),
        clientLimit(
            "client-streams", \.streams, flag: "n",
            help: "The event streams that one client may have open over TCP at the same time."),
        clientLimit(
            "client-uploads", \.uploads, flag: "n",
            help: "The uploads that one client may send over TCP at the same time."),
        clientLimit(
            "client-connections", \.connections, flag: "n",
            help: "The TCP connections that one address may have open at the same time, for all its users.",
            details: "`none` means no limit. Programs on this machine and the proxies of behind-proxy have no limit."),
    ]

    /// Declares a limit on one client; `none`, which is nil, for no limit.
    private static func clientLimit(
        _ name: String, _ target: any WritableKeyPath<ClientLimits, Int?> & Sendable, flag: String, help: String,
        details: String = "`none` means no limit. A client is a user who has signed in, or an address."
    ) -> any Setting {
        StoredSetting(
            name: name, target: target, defaultText: ClientLimits()[keyPath: target].map { "\($0)" } ?? "none",
            help: help, details: details, flag: .value(flag),
            expectation: "a whole number of at least 1, or none",
            parse: { $0 == "none" ? .some(nil) : Int($0).flatMap { $0 >= 1 ? $0 : nil } })
    }
}
