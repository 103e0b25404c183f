import ArgumentParser

/// The commands that change the files of photos.
struct PhotosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photos",
        abstract: "Remove from photos the place where they were taken.",
        discussion: """
            EXAMPLES
              tintype photos scrub photo.jpg --check
              tintype photos scrub *.jpg --output scrubbed
              tintype photos scrub --user maria
            """,
        subcommands: [PhotosScrubCommand.self])
}
