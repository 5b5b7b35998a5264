"""Let ``python -m softlearn.demo`` be the demo."""

from softlearn.demo.walk import main

if __name__ == "__main__":
    main()
