public func main() -> Int32 { 0 }
