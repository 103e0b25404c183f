import ArgumentParser

/// What can be done with the files of photos themselves.
struct PhotosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photos",
        abstract: "Take the place out of photos.",
        discussion: """
            EXAMPLES
              tintype photos scrub photo.jpg --check
              tintype photos scrub *.jpg --output scrubbed
              tintype photos scrub --user maria
            """,
        subcommands: [PhotosScrubCommand.self])
}
