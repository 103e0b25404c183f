extension Array {
    /// The first index whose element belongs to the second part, of an array that is sorted into two parts.
    func partitioningIndex(where belongsToSecond: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsToSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
